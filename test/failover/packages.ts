import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';

/** Where Debian's postgresql-15 keeps its programs. */
export const postgresPrograms = '/usr/lib/postgresql/15/bin';

const packages = ['patroni', 'etcd-server', 'haproxy', 'postgresql-15'];
const programs = [
  '/usr/bin/patroni',
  '/usr/bin/etcd',
  '/usr/sbin/haproxy',
  `${postgresPrograms}/postgres`,
  `${postgresPrograms}/pg_rewind`,
];
/** Debian asks this program whether the services of a package may start. */
const policy = '/usr/sbin/policy-rc.d';

/** Finds Patroni and what it needs, or installs them from Debian. Returns the reason if they are missing. */
export function findPatroni(): string | undefined {
  const isMissing = () => programs.filter((program) => !existsSync(program));
  if (isMissing().length === 0) return undefined;
  const wanted = `apt-get install --no-install-recommends ${packages.join(' ')}`;
  if (!existsSync('/usr/bin/apt-get'))
    return `${isMissing().join(', ')} not found, and no apt-get.`;
  if (process.getuid?.() !== 0) return `${isMissing().join(', ')} not found. As root: ${wanted}`;
  const done = withoutServices(
    () => aptGet('update') && aptGet('install', '--yes', '--no-install-recommends', ...packages),
  );
  if (!done) return 'apt-get could not install the packages.';
  const missing = isMissing();
  return missing.length === 0 ? undefined : `${missing.join(', ')} not found after ${wanted}`;
}

/** Installs without starting what is installed: the tests start servers of their own. */
function withoutServices(install: () => boolean): boolean {
  if (existsSync(policy)) return install();
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    return install();
  } finally {
    rmSync(policy);
  }
}

/** Returns whether apt-get succeeded; prints its output if not. */
function aptGet(...parts: string[]): boolean {
  process.stdout.write(`apt-get ${parts[0]} …\n`);
  const { status, stdout, stderr } = spawnSync('apt-get', ['--quiet', ...parts], {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (status !== 0) process.stdout.write(`${stdout}${stderr}\n`);
  return status === 0;
}
