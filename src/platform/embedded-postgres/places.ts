import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The account the server runs as when this process is root, which PostgreSQL refuses to be. */
export interface ServerUser {
  uid: number;
  gid: number;
}

/**
 * The account for the server of that data directory: its owner where it exists, else `postgres`,
 * else `nobody`. Undefined when this process is not root, and so can run the server itself.
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

/** Whether the mode bits of the path and of every folder above it let that user through. */
export async function reachable(path: string, user: ServerUser | undefined): Promise<boolean> {
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

/** The folder for what the server must reach and root keeps where it can't, such as /root. */
export async function shelter(): Promise<string> {
  const path = '/var/lib/open-petitions';
  await mkdir(path, { recursive: true });
  // Not left to the umask: everybody may pass through, nobody else may write.
  await chmod(path, 0o755);
  return path;
}

const underWay = new Set<string>();
const unfinished = /^\.unfinished-(\d+)-/;

/**
 * Builds a folder under a passing name in `parent`, then lets `settle` move it where it belongs.
 * A process killed in the middle leaves only the passing name, which the next call removes; when
 * another process settled first, its folder stays and this one is removed.
 */
export async function buildWhole(
  parent: string,
  build: (folder: string) => Promise<void>,
  settle: (folder: string) => Promise<void>,
): Promise<void> {
  await removeUnfinished(parent);
  const name = `.unfinished-${process.pid}-${randomBytes(6).toString('hex')}`;
  const folder = join(parent, name);
  underWay.add(name);
  try {
    await mkdir(folder, { mode: 0o700 });
    await build(folder);
    await settle(folder).catch((error: unknown) => {
      // EPERM is what Windows says.
      if (!hasCode(error, 'EEXIST', 'ENOTEMPTY', 'ENOTDIR', 'EPERM')) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    underWay.delete(name);
  }
}

async function removeUnfinished(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = Number(unfinished.exec(name)?.[1] ?? Number.NaN);
    // Our own number on a folder we are not building: the first process of a container has the
    // same number at every start.
    if (Number.isNaN(pid) || underWay.has(name) || (pid !== process.pid && isAlive(pid))) continue;
    // An initdb that outlived its parent may still write there: then the next start removes it.
    await rm(join(parent, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
  }
}

/** Whether there is a process of that number, whoever owns it. */
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
