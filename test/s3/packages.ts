import { spawnSync } from 'node:child_process';

const packages = ['ceph-mon', 'ceph-osd', 'ceph-common', 'radosgw'];
const programs = ['ceph-mon', 'ceph-osd', 'ceph', 'ceph-authtool', 'monmaptool', 'radosgw'];

const isThere = (program: string) =>
  spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;

/** Finds Ceph, or installs it from Debian. Gives the reason where there is none to be had. */
export function findCeph(): string | undefined {
  if (programs.every(isThere)) return undefined;
  if (!isThere('apt-get')) return 'Ceph is not installed, and there is no apt-get to install it.';
  if (process.getuid?.() !== 0) {
    return `Ceph is not installed. As root: apt-get install --no-install-recommends ${packages.join(' ')}`;
  }
  const install = ['--yes', '--no-install-recommends', ...packages];
  const done = aptGet('update') && aptGet('install', ...install);
  return done && programs.every(isThere) ? undefined : 'apt-get could not install Ceph.';
}

/** Whether apt-get did it; what it says is shown where it did not. */
function aptGet(...parts: string[]): boolean {
  process.stdout.write(`apt-get ${parts[0]} …\n`);
  const { status, stdout, stderr } = spawnSync('apt-get', ['--quiet', ...parts], {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (status !== 0) process.stdout.write(`${stdout}${stderr}\n`);
  return status === 0;
}
