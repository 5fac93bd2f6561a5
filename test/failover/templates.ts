import { readFile } from 'node:fs/promises';

/** A configuration file of `test/failover/config`, with the values in place of `${NAME}`. */
export async function render(file: string, values: Record<string, string>): Promise<string> {
  const template = await readFile(new URL(`config/${file}`, import.meta.url), 'utf8');
  return template.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${file} wants ${name}`);
    return value;
  });
}
