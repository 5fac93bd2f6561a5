import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { installMissing } from '../support/debian.ts';
import { eventually } from '../support/eventually.ts';
import { startLogWorld, type TestLog } from '../support/log.ts';
import { findNginx, startStaticSite, type StaticSite } from '../support/nginx.ts';
import { blocksBelow } from '../support/page-blocks.ts';
import type { Service } from '../support/service.ts';
import { startShell, type Shell } from '../support/shell.ts';

const tools = ['curl', 'jq', 'flock'];
const missing = findNginx() ?? installMissing(tools, ['curl', 'jq', 'util-linux']);
const immutable = 'public, max-age=31536000, immutable';

const blocks = blocksBelow('docs/verifying.md', 'Mirror a log');
const block = (language: string, text: string): string => {
  const [found, ...others] = blocks.filter(
    (one) => one.language === language && one.code.includes(text),
  );
  assert.ok(found && others.length === 0, text);
  return found.code;
};

describe('a mirror of the log, as docs/verifying.md has it', { skip: missing ?? false }, () => {
  const stack = new AsyncDisposableStack();
  let service: Service;
  let log: TestLog;
  let mirror: StaticSite;
  let folder: string;
  let shell: Shell;
  let key: string;
  const run = (command: string) =>
    shell.run(
      [
        ['npx open-petitions-verifier', verifier],
        ['https://petitions.example.org', service.origin],
        ['https://mirror.example.net', mirror.origin],
        ['/srv/mirror', folder],
      ].reduce((text, [from, to]) => text.replaceAll(from!, to!), command),
    );
  const verifier = `${process.execPath} --disable-warning=ExperimentalWarning ${resolve('verifier/src/cli.ts')}`;
  const copy = () => run(block('sh', 'mirror-log https').replace('mirror-log', './mirror-log'));
  const audit = () => run(block('sh', '--mirror'));
  const get = (path: string, headers = {}) => fetch(`${mirror.origin}/log/${path}`, { headers });
  let size = 0;
  const grow = async (count: number) => {
    await log.append(count);
    await log.publish();
    size += count;
    // The service keeps a checkpoint for a second.
    await eventually(async () => {
      const { body } = await service.api.get('/log/checkpoint');
      return body.split('\n')[1] === String(size);
    });
  };

  before(async () => {
    const world = stack.use(await startLogWorld());
    ({ service, log } = world);
    // More than a tile of tiles.
    await grow(70_000);
    key = (await service.api.get('/v1/log')).body.data.verifier_key;
    folder = await mkdtemp(join(tmpdir(), 'petitions-mirror-'));
    await chmod(folder, 0o755);
    stack.defer(() => rm(folder, { recursive: true }));
    mirror = stack.use(
      await startStaticSite(block('nginx', 'server').replaceAll('/srv/mirror', folder)),
    );
    shell = stack.use(startShell(folder));
    await writeFile(join(folder, 'mirror-log'), block('sh', '#!'), { mode: 0o755 });
  });
  after(() => stack.disposeAsync());

  it('has nothing that nginx complains about', () => {
    assert.deepEqual(mirror.complaints, []);
  });

  it('copies the files, which hold', async () => {
    assert.equal(await copy(), '');
    const files = await readdir(join(folder, 'log'), { recursive: true });
    assert.ok(files.includes('tile/1/001.p/17') && files.includes('tile/entries/273.p/112'));
    assert.match(await audit(), /OK: everything holds\.\n$/);
    const [day] = await readdir(join(folder, 'log/.checkpoints'));
    const kept = await readFile(join(folder, 'log/.checkpoints', day!), 'utf8');
    assert.equal(kept, await (await get('checkpoint')).text());
  });

  it('serves them as the service does', async () => {
    for (const [path, type, cached] of [
      ['checkpoint', 'text/plain; charset=utf-8', 'public, max-age=1'],
      ['tile/0/000', 'application/octet-stream', immutable],
      ['tile/1/001.p/17', 'application/octet-stream', immutable],
      ['tile/entries/000', 'application/octet-stream', immutable],
    ] as const) {
      for (const coding of ['identity', 'gzip']) {
        const headers = { 'accept-encoding': coding };
        const answer = await get(path, headers);
        const original = await fetch(`${service.origin}/log/${path}`, { headers });
        assert.deepEqual(await answer.arrayBuffer(), await original.arrayBuffer(), path);
        for (const name of ['content-type', 'cache-control']) {
          assert.equal(answer.headers.get(name), original.headers.get(name), `${path}: ${name}`);
        }
        assert.equal(answer.headers.get('content-type'), type);
        assert.equal(answer.headers.get('cache-control'), cached);
        assert.equal(answer.headers.get('access-control-allow-origin'), '*');
      }
    }
    const hashes = await get('tile/0/000', { 'accept-encoding': 'gzip' });
    assert.equal(hashes.headers.get('content-encoding'), null);
    const compressed = await get('tile/entries/000', { 'accept-encoding': 'gzip' });
    assert.equal(compressed.headers.get('content-encoding'), 'gzip');
    assert.equal(compressed.headers.get('vary'), 'Accept-Encoding');
    const unknown = await get('tile/entries/274');
    assert.equal(unknown.status, 404);
    assert.equal(unknown.headers.get('cache-control'), 'no-store');
    assert.equal(unknown.headers.get('access-control-allow-origin'), '*');
    assert.equal((await fetch(`${mirror.origin}/log/.lock`)).status, 404);
  });

  it('copies what is new, and deletes partial tiles an hour after the full one', async () => {
    const full = join(folder, 'log/tile/entries/000');
    const { mtimeMs } = await stat(full);
    await grow(300);
    await copy();
    assert.equal((await stat(full)).mtimeMs, mtimeMs);
    assert.match(await audit(), /goes on from 70,000 entries[\s\S]*OK: everything holds\.\n$/);
    const hourAgo = new Date(Date.now() - 3_700_000);
    const partial = (path: string) => join(folder, 'log/tile', path);
    for (const path of ['0/273.p', '0/274.p']) await utimes(partial(path), hourAgo, hourAgo);
    await copy();
    await assert.rejects(stat(partial('0/273.p')), { code: 'ENOENT' });
    // Of the newest tile there is no full one.
    await stat(partial('0/274.p'));
    await stat(partial('entries/273.p'));
    assert.match(await audit(), /OK: everything holds\.\n$/);
  });

  it('shows no checkpoint whose tiles are missing', async () => {
    const earlier = await (await get('checkpoint')).text();
    await grow(10);
    // A file in place of the folder: not even root can write there.
    const blocked = join(folder, 'log/tile/entries/274.p');
    await rm(blocked, { recursive: true });
    await writeFile(blocked, '');
    await assert.rejects(copy());
    assert.equal(await (await get('checkpoint')).text(), earlier);
    await rm(blocked);
    await copy();
    assert.notEqual(await (await get('checkpoint')).text(), earlier);
    assert.match(await audit(), /OK: everything holds\.\n$/);
  });

  it('takes no checkpoint of a log that became shorter', async () => {
    const file = join(folder, 'log/checkpoint');
    const earlier = await readFile(file, 'utf8');
    const longer = earlier.replace(`\n${size}\n`, `\n${size + 1}\n`);
    await writeFile(file, longer);
    await assert.rejects(copy(), /became shorter/);
    assert.equal(await readFile(file, 'utf8'), longer);
    await writeFile(file, earlier);
  });

  it('is audited while the service is away', async () => {
    const away = block('sh', '--mirror').replace(
      'https://petitions.example.org',
      'http://127.0.0.1:9',
    );
    const output = await run(`${away.trimEnd()} --key '${key}'`);
    assert.match(output, /the keys that you gave[\s\S]*OK: everything holds\.\n$/);
  });
});
