import { createHash, createHmac, randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Binaries, findPackage, prepareBinaries, runTool } from './binaries.ts';
import {
  buildAtomically,
  hasCode,
  isReachable,
  serverUser,
  type ServerUser,
  sharedFolder,
} from './directories.ts';

/** A database cluster on disk, with everything needed to run it. */
export interface Cluster {
  /** The folder that holds the data directory, the password and the log. */
  home: string;
  /** PostgreSQL's own data directory. */
  data: string;
  /** The roles' passwords are derived from it. */
  secret: string;
  binaries: Binaries;
  /** The server's user; undefined: the user of this process. */
  user: ServerUser | undefined;
  settings: Record<string, string>;
}

/** Opens the cluster of a data directory, or creates it. */
export async function openCluster(
  dataDir: string,
  settings: Record<string, string>,
): Promise<Cluster> {
  await mkdir(resolve(dataDir), { recursive: true });
  const parent = await realpath(dataDir);
  const path = join(parent, 'postgres');
  const user = await serverUser(join(path, 'data'));
  const binaries = await prepareBinaries(
    await findPackage(),
    user,
    user ? sharedFolder : async () => parent,
  );
  if (!(await isCluster(path))) await create(path, { binaries, user, settings });
  const home = await realpath(path);
  const cluster = { home, data: join(home, 'data'), binaries, user, settings };
  await check(cluster);
  return { ...cluster, secret: await readFile(join(home, 'password'), 'utf8') };
}

/** Derives the password of a role. */
export function rolePassword(cluster: Pick<Cluster, 'secret'>, role: string): string {
  return createHmac('sha256', cluster.secret).update(role).digest('base64url');
}

async function isCluster(path: string): Promise<boolean> {
  try {
    await stat(join(path, 'data/PG_VERSION'));
    return true;
  } catch (error) {
    if (hasCode(error, 'EACCES')) {
      throw new Error(
        `${path} belongs to another user: start as that user or as root, or set DATA_DIR.`,
        { cause: error },
      );
    }
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
  }
  // If the data has disappeared, an empty database would look like data loss.
  if ((await lstat(path).catch(() => undefined))?.isSymbolicLink()) {
    throw new Error(
      `${path} leads to a database that is gone: put it back, or remove the link to start over.`,
    );
  }
  return false;
}

async function check({ data, binaries, user }: Omit<Cluster, 'secret'>): Promise<void> {
  if (!(await isReachable(data, user))) {
    throw new Error(
      `The server runs as user ${user?.uid} and can't reach ${data}: let others pass through the folders above it (chmod o+x).`,
    );
  }
  const major = (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim();
  if (major !== binaries.major) {
    throw new Error(
      `${data} is of PostgreSQL ${major} and the installed one is ${binaries.major}: move the data with pg_dump and pg_restore.`,
    );
  }
}

type ClusterSpec = Pick<Cluster, 'binaries' | 'user' | 'settings'>;

async function create(path: string, spec: ClusterSpec): Promise<void> {
  const parent = dirname(path);
  if (await isReachable(parent, spec.user)) {
    await buildAtomically(
      parent,
      (folder) => initialize(folder, spec),
      (folder) => rename(folder, path),
    );
  } else {
    await buildAtomically(
      await sharedFolder(),
      (folder) => initialize(folder, spec),
      (folder) => linkFrom(path, folder),
    );
  }
  if (!(await isCluster(path))) throw new Error(`${path} is in the way of the database.`);
}

/** Moves the cluster to its final name and links to it. If the data directory is deleted, the next start creates a new cluster. */
async function linkFrom(path: string, folder: string): Promise<void> {
  const name = createHash('sha256').update(path).digest('hex').slice(0, 12);
  const home = join(dirname(folder), `${name}-${randomBytes(3).toString('hex')}`);
  await rename(folder, home);
  try {
    await symlink(home, path);
  } catch (error) {
    await rm(home, { recursive: true, force: true });
    throw error;
  }
}

async function initialize(home: string, { binaries, user, settings }: ClusterSpec): Promise<void> {
  const [data, passwordFile] = [join(home, 'data'), join(home, 'initdb-password')];
  const secret = randomBytes(32).toString('base64url');
  // Root keeps the folder, the secret and the log, so that root never writes to a path where the server's user
  // could have created a link.
  if (user) await chmod(home, 0o711);
  await writeFile(join(home, 'password'), secret, { mode: 0o600 });
  await writeFile(passwordFile, rolePassword({ secret }, 'postgres'), { mode: 0o600 });
  await mkdir(data, { mode: 0o700 });
  if (user) {
    await chown(passwordFile, user.uid, user.gid);
    await chown(data, user.uid, user.gid);
  }
  const options = [
    `--pgdata=${data}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--no-instructions',
    ...(settings.fsync === 'off' ? ['--no-sync'] : []),
  ];
  await initdb(options, { binaries, user, home });
  await rm(passwordFile);
}

/**
 * Runs initdb. Case folding and sort order come from PostgreSQL itself (PG_UNICODE_FAST), the same on every machine.
 * Text search and pg_trgm classify letters by the C library: with LC_CTYPE=C, pg_trgm drops all ctype that are
 * not ASCII, and text search treats “ and — as letters. Hence the first UTF-8 locale of the system.
 */
async function initdb(
  options: string[],
  { binaries, user, home }: Pick<Cluster, 'binaries' | 'user' | 'home'>,
): Promise<void> {
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=PG_UNICODE_FAST'];
  for (const ctype of ['C.UTF-8', 'en_US.UTF-8', 'UTF-8', 'C']) {
    try {
      const args = [...options, ...locale, `--lc-ctype=${ctype}`];
      await runTool(binaries.initdb, args, { cwd: home, user });
      return;
    } catch (error) {
      if (ctype === 'C' || !/invalid locale name/.test(String(error))) throw error;
    }
  }
}
