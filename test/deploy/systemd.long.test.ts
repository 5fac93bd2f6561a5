import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { secretNames } from '../../src/config-files.ts';
import { installMissing } from '../support/debian.ts';

const run = promisify(execFile);
const missing = installMissing(['systemd-analyze'], ['systemd']);
/** Of 10, by `systemd-analyze security`. */
const maxExposure = 1.5;

describe('deploy/open-petitions.service', { skip: missing ?? false }, () => {
  let directory: string;
  let path: string;
  let unit: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'petitions-systemd-'));
    path = join(directory, 'open-petitions.service');
    unit = await readFile('deploy/open-petitions.service', 'utf8');
    await writeFile(path, unit.replaceAll('/opt/open-petitions', resolve('.')));
  });
  after(() => rm(directory, { recursive: true }));

  it('has nothing that systemd complains about', async () => {
    const { stdout, stderr } = await run('systemd-analyze', ['verify', '--man=no', path]);
    assert.equal(stdout + stderr, '');
  });

  it('gives little of the system to the service', async () => {
    const threshold = `--threshold=${maxExposure * 10}`;
    // Fails above the threshold.
    await run('systemd-analyze', ['security', '--offline=true', '--no-pager', threshold, path]);
  });

  it('gives secrets as files, by settings that exist', () => {
    const files = [...unit.matchAll(/(\w+)_FILE=%d\/(\S+)/g)];
    const credentials = [...unit.matchAll(/^LoadCredential=([^:]+):/gm)].map(([, name]) => name!);
    assert.deepEqual(files.map(([, , name]) => name!).toSorted(), credentials.toSorted());
    const settings = files.map(([, name]) => name!);
    assert.deepEqual(
      settings.filter((name) => !secretNames.some((one) => one === name)),
      [],
    );
    assert.doesNotMatch(unit, new RegExp(`\\b(${secretNames.join('|')})=`));
  });
});
