import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The version before mailboxes, keys in the database and sort keys. */
const commit = '360f38223e0e3826646dd2b9c0be40869d9c8605';

/** Why the earlier version cannot be run; undefined if it can. */
export async function missingVersion(): Promise<string | undefined> {
  try {
    await run('git', ['cat-file', '-e', `${commit}^{commit}`]);
    return undefined;
  } catch {
    return `the history of this clone lacks commit ${commit.slice(0, 7)}`;
  }
}

/** Puts the earlier version into a new folder, with its packages. Returns the folder. */
export async function installEarlierVersion(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'petitions-earlier-'));
  await run('sh', ['-c', `git archive ${commit} | tar -x -C "$0"`, folder]);
  const options = ['--omit=dev', '--prefer-offline', '--no-fund', '--no-audit'];
  await run('npm', ['ci', '--loglevel=error', ...options], { cwd: folder });
  return folder;
}
