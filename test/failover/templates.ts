import { readFile } from 'node:fs/promises';

/** Renders a file of `test/failover/config`: replaces `${NAME}` by values. */
export async function render(file: string, values: Record<string, string>): Promise<string> {
  const template = await readFile(new URL(`config/${file}`, import.meta.url), 'utf8');
  return template.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${file} wants ${name}`);
    return value;
  });
}
