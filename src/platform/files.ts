import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from './ids.ts';

/** Writes a file atomically, under a name that sorts by time. Returns its path. */
export async function writeAtomically(
  directory: string,
  extension: string,
  content: string | Buffer,
): Promise<string> {
  await mkdir(directory, { recursive: true });
  const name = `${new Date().toISOString().replaceAll(/[:.]/g, '-')}-${newId()}`;
  const temporary = join(directory, `.${name}.part`);
  await writeFile(temporary, content, { mode: 0o600 });
  const path = join(directory, `${name}.${extension}`);
  await rename(temporary, path);
  return path;
}
