import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readBlob } from '../blobs.ts';
import { Keys } from '../keys.ts';
import { FileBlobs } from './files.ts';

describe('blobs in files', () => {
  let directory: string;
  let blobs: FileBlobs;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'blobs-'));
    const [root, mailbox, log] = [randomBytes(32), randomBytes(32), randomBytes(32)];
    const keys = new Keys({ root, mailbox, log });
    const now = () => new Date();
    blobs = new FileBlobs({ directory, baseUrl: 'http://petitions.test', keys, now });
  });
  after(() => rm(directory, { recursive: true }));

  const put = (key: string, text: string) => blobs.put(key, Buffer.from(text));
  const read = async (key: string) => (await readBlob(blobs, key, 100))?.toString();

  it('stand at the path of their key, where it has one, and are spread over folders otherwise', async () => {
    await put('log/0a1b/tile/0/x001/067.p/12', 'partial');
    await put('log/0a1b/tile/0/x001/067', 'full');
    await put('images/cat.webp', 'cat');
    assert.equal(await read('log/0a1b/tile/0/x001/067.p/12'), 'partial');
    assert.equal(await read('log/0a1b/tile/0/x001/067'), 'full');
    const at = (path: string) => readFile(join(directory, path), 'utf8');
    assert.equal(await at('log/0a1b/tile/0/x001/067.p/12'), 'partial');
    assert.equal(await at('log/0a1b/tile/0/x001/067'), 'full');
    assert.equal(await at('images/ca/cat.webp'), 'cat');
  });

  it('leave no empty folder at a path', async () => {
    for (const width of [1, 2]) await put(`log/f/tile/0/000.p/${width}`, 'partial');
    await put('log/f/tile/0/000', 'full');
    await blobs.delete('log/f/tile/0/000.p/1');
    assert.equal(await read('log/f/tile/0/000.p/2'), 'partial');
    await blobs.delete('log/f/tile/0/000.p/2');
    await blobs.delete('log/f/tile/0/000.p/2');
    assert.deepEqual(await readdir(join(directory, 'log/f/tile/0')), ['000']);
    assert.equal(await read('log/f/tile/0/000.p/2'), undefined);
  });

  it('have no keys that lead out of their folder', async () => {
    for (const key of [
      '',
      'log',
      'log/',
      '/log/a',
      'log//a',
      'log/..',
      'log/../a',
      'log/a/..',
      'log/a/../../b',
      'log/a/./b',
      'log/a/.b',
      'log/a/b/',
      'log/a/B',
      'log/a\\b',
      'log/a/b\n',
      'log/a/b c',
      'log/a/b%2fc',
      'Log/a',
    ]) {
      await assert.rejects(put(key, 'x'), /is no key of a blob/, key);
      await assert.rejects(read(key), /is no key of a blob/, key);
      await assert.rejects(blobs.delete(key), /is no key of a blob/, key);
    }
  });
});
