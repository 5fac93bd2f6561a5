import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The account of the server if this process is root, since PostgreSQL refuses to run as root. */
export interface ServerUser {
  uid: number;
  gid: number;
}

/**
 * Finds the account for the server: the owner of the data directory if it exists, otherwise `postgres`, otherwise
 * `nobody`. Undefined if this process is not root: the server then runs as the same user.
 */
export async function serverUser(data: string): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(data).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map((row) => row.split(':'));
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const [, , uid, gid] = accounts.find((account) => account[0] === name) ?? [];
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'PostgreSQL does not run as root, and there is neither a user `postgres` nor a user `nobody`: ' +
      'start as an ordinary user, or set DATABASE_URL.',
  );
}

/** Whether the modes of the path and of all folders above it allow access to the user. */
export async function isReachable(path: string, user: ServerUser | undefined): Promise<boolean> {
  if (!user) return true;
  for (let at = await realpath(path); ; at = dirname(at)) {
    const { uid, gid, mode } = await stat(at);
    let bit = 0o001;
    if (uid === user.uid) bit = 0o100;
    else if (gid === user.gid) bit = 0o010;
    if ((mode & bit) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

/** Creates the folder for files that the server must reach while the project is in a folder like /root. */
export async function sharedFolder(): Promise<string> {
  const path = '/var/lib/open-petitions';
  await mkdir(path, { recursive: true });
  // Independent of the umask: all users may enter, only root may write.
  await chmod(path, 0o755);
  return path;
}

const inProgress = new Set<string>();
const unfinished = /^\.unfinished-(\d+)-/;

/**
 * Builds a folder under a temporary name in `parent`; `moveToPlace` then moves it to its final path. If the process is
 * killed, the next call removes the temporary folder. If another process was first, its folder stays and this one is
 * removed.
 */
export async function buildAtomically(
  parent: string,
  build: (folder: string) => Promise<void>,
  moveToPlace: (folder: string) => Promise<void>,
): Promise<void> {
  await removeUnfinished(parent);
  const name = `.unfinished-${process.pid}-${randomBytes(6).toString('hex')}`;
  const folder = join(parent, name);
  inProgress.add(name);
  try {
    await mkdir(folder, { mode: 0o700 });
    await build(folder);
    await moveToPlace(folder).catch((error: unknown) => {
      // EPERM is the code on Windows.
      if (!hasCode(error, 'EEXIST', 'ENOTEMPTY', 'ENOTDIR', 'EPERM')) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    inProgress.delete(name);
  }
}

async function removeUnfinished(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = Number(unfinished.exec(name)?.[1] ?? Number.NaN);
    // A folder with our own pid that is not in progress: the first process of a container has the same pid at every
    // start.
    if (Number.isNaN(pid) || inProgress.has(name) || (pid !== process.pid && isAlive(pid)))
      continue;
    // An initdb that outlived its parent may still write there; the next start then removes it.
    await rm(join(parent, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
  }
}

/** Whether a process with that pid exists, of any user. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

/** Whether the error is a system error of one of these codes. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && codes.includes(code);
}
