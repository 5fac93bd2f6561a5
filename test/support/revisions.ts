import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Returns why a commit or tag cannot be run; undefined if it can. */
export async function missingRevision(revision: string): Promise<string | undefined> {
  try {
    await run('git', ['cat-file', '-e', `${revision}^{commit}`]);
    return undefined;
  } catch {
    return `the history of this clone lacks ${revision}`;
  }
}

/** The tag of the last release before this commit; undefined if there is none, or the clone lacks it. */
export async function lastRelease(): Promise<string | undefined> {
  const tags = ['describe', '--tags', '--abbrev=0', '--match=v[0-9]*', 'HEAD^'];
  const found = await run('git', tags).catch(() => undefined);
  return found?.stdout.trim();
}

/** Puts the service of a commit or tag into a new folder, with its packages. Returns the folder. */
export async function installRevision(revision: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'petitions-earlier-'));
  await run('sh', ['-c', 'git archive "$1" | tar -x -C "$0"', folder, revision]);
  const options = ['--omit=dev', '--prefer-offline', '--no-fund', '--no-audit'];
  await run('npm', ['ci', '--loglevel=error', ...options], { cwd: folder });
  return folder;
}
