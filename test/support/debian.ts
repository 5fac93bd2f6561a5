import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian asks this program whether the services of a package may start. */
const policy = '/usr/sbin/policy-rc.d';

/**
 * Installs Debian packages if one of their programs, paths or names on PATH, is missing. Returns the reason
 * if one is missing afterwards.
 */
export function installMissing(programs: string[], packages: string[]): string | undefined {
  const findMissing = () => programs.filter((program) => !isInstalled(program)).join(', ');
  const missing = findMissing();
  if (missing === '') return undefined;
  const command = `apt-get install --no-install-recommends ${packages.join(' ')}`;
  if (!isInstalled('apt-get')) return `${missing} not found, and no apt-get.`;
  if (process.getuid?.() !== 0) return `${missing} not found. As root: ${command}`;
  const isDone = withoutServices(
    () => aptGet('update') && aptGet('install', '--yes', '--no-install-recommends', ...packages),
  );
  if (!isDone) return 'apt-get could not install the packages.';
  const stillMissing = findMissing();
  return stillMissing === '' ? undefined : `${stillMissing} not found after ${command}`;
}

function isInstalled(program: string): boolean {
  if (program.startsWith('/')) return existsSync(program);
  return process.env.PATH!.split(delimiter).some((folder) => existsSync(join(folder, program)));
}

/** Installs without starting the services of the packages: the tests start servers of their own. */
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
