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
import { buildWhole, hasCode, reachable, serverUser, type ServerUser, shelter } from './places.ts';

/** A database cluster on disk, and what it takes to run it. */
export interface Cluster {
  /** The folder that holds the data directory, the password and the log. */
  home: string;
  /** PostgreSQL's own data directory. */
  data: string;
  /** From which the roles' passwords are derived. */
  secret: string;
  binaries: Binaries;
  /** Whom the server runs as; undefined: as this process does. */
  user: ServerUser | undefined;
  settings: Record<string, string>;
}

/** Finds the cluster of a data directory, or makes it. */
export async function openCluster(
  dataDir: string,
  settings: Record<string, string>,
): Promise<Cluster> {
  await mkdir(resolve(dataDir), { recursive: true });
  const parent = await realpath(dataDir);
  const place = join(parent, 'postgres');
  const user = await serverUser(join(place, 'data'));
  const binaries = await prepareBinaries(
    await findPackage(),
    user,
    user ? shelter : async () => parent,
  );
  if (!(await isCluster(place))) await create(place, { binaries, user, settings });
  const home = await realpath(place);
  const cluster = { home, data: join(home, 'data'), binaries, user, settings };
  await check(cluster);
  return { ...cluster, secret: await readFile(join(home, 'password'), 'utf8') };
}

/** The password of one of the cluster's roles. */
export function rolePassword(cluster: Pick<Cluster, 'secret'>, role: string): string {
  return createHmac('sha256', cluster.secret).update(role).digest('base64url');
}

async function isCluster(place: string): Promise<boolean> {
  try {
    await stat(join(place, 'data/PG_VERSION'));
    return true;
  } catch (error) {
    if (hasCode(error, 'EACCES')) {
      throw new Error(
        `${place} belongs to another user: start as that user or as root, or set DATA_DIR.`,
        { cause: error },
      );
    }
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
  }
  // Where the data once was and is no more, an empty database would look like a loss.
  if ((await lstat(place).catch(() => undefined))?.isSymbolicLink()) {
    throw new Error(
      `${place} leads to a database that is gone: put it back, or remove the link to begin anew.`,
    );
  }
  return false;
}

async function check({ data, binaries, user }: Omit<Cluster, 'secret'>): Promise<void> {
  if (!(await reachable(data, user))) {
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

type Recipe = Pick<Cluster, 'binaries' | 'user' | 'settings'>;

async function create(place: string, recipe: Recipe): Promise<void> {
  const parent = dirname(place);
  if (await reachable(parent, recipe.user)) {
    await buildWhole(
      parent,
      (folder) => fill(folder, recipe),
      (folder) => rename(folder, place),
    );
  } else {
    await buildWhole(
      await shelter(),
      (folder) => fill(folder, recipe),
      (folder) => linkFrom(place, folder),
    );
  }
  if (!(await isCluster(place))) throw new Error(`${place} is in the way of the database.`);
}

/** The link decides: when the data directory goes, so does it, and the next start begins anew. */
async function linkFrom(place: string, folder: string): Promise<void> {
  const name = createHash('sha256').update(place).digest('hex').slice(0, 12);
  const home = join(dirname(folder), `${name}-${randomBytes(3).toString('hex')}`);
  await rename(folder, home);
  try {
    await symlink(home, place);
  } catch (error) {
    await rm(home, { recursive: true, force: true });
    throw error;
  }
}

async function fill(home: string, { binaries, user, settings }: Recipe): Promise<void> {
  const [data, passwordFile] = [join(home, 'data'), join(home, 'initdb-password')];
  const secret = randomBytes(32).toString('base64url');
  // The folder itself, the secret and the log stay root's, so that root never writes where the
  // server's user could have put a link.
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
 * Case and order come from PostgreSQL itself (PG_UNICODE_FAST), the same on every machine. Text
 * search and pg_trgm, though, ask the C library what a letter is: with LC_CTYPE=C, pg_trgm drops
 * all that is not ASCII and text search takes “ and — for letters. So the first UTF-8 locale that
 * the system has.
 */
async function initdb(
  options: string[],
  { binaries, user, home }: Pick<Cluster, 'binaries' | 'user' | 'home'>,
): Promise<void> {
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=PG_UNICODE_FAST'];
  for (const characters of ['C.UTF-8', 'en_US.UTF-8', 'UTF-8', 'C']) {
    try {
      const args = [...options, ...locale, `--lc-ctype=${characters}`];
      await runTool(binaries.initdb, args, { cwd: home, user });
      return;
    } catch (error) {
      if (characters === 'C' || !/invalid locale name/.test(String(error))) throw error;
    }
  }
}
