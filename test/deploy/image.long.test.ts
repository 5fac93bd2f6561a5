import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { it } from 'node:test';
import { logInBrowser } from '../support/browser.ts';
import { Client } from '../support/client.ts';
import { sharedSettings, startProcess } from '../support/process.ts';
import { admin, startService } from '../support/service.ts';

/** What the Dockerfile takes from the repository, besides packages. */
const copied = [...readFileSync('Dockerfile', 'utf8').matchAll(/^COPY (?!--from)(.+) (\S+)$/gm)]
  .filter(([, sources]) => !sources!.includes('package-lock.json'))
  .flatMap(([, sources]) => sources!.split(' '));

it('the image has the files and packages that the service reads', async () => {
  const notIgnored = readFileSync('.dockerignore', 'utf8').split('\n');
  for (const name of copied) assert.ok(notIgnored.includes(`!${name}`), name);

  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'petitions-image-'));
  stack.defer(() => rm(folder, { recursive: true }));
  for (const name of copied) await cp(name, join(folder, name), { recursive: true });
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    dependencies: Record<string, string>;
  };
  for (const name of Object.keys(dependencies)) {
    const path = join('node_modules', name);
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await symlink(resolve(path), join(folder, path));
  }
  const service = stack.use(await startService());
  const web = stack.use(await startProcess(sharedSettings(service), undefined, folder));

  for (const path of [
    '/',
    '/health/ready',
    '/docs',
    '/docs/guides/first-petition',
    '/changelog.atom',
  ]) {
    assert.equal((await fetch(web.origin + path)).status, 200, path);
  }
  const browser = await logInBrowser({ api: new Client(web.origin) }, admin);
  assert.equal((await browser.open('/admin/guide/operating')).status, 200);
});
