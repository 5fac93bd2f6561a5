import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from './ids.ts';

/** Writes a file whose name sorts by time; readers of the folder never see half of it. */
export async function writeWhole(
  directory: string,
  extension: string,
  content: string | Buffer,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const name = `${new Date().toISOString().replaceAll(/[:.]/g, '-')}-${newId()}`;
  const hidden = join(directory, `.${name}.part`);
  await writeFile(hidden, content, { mode: 0o600 });
  await rename(hidden, join(directory, `${name}.${extension}`));
}
