// What a dishonest service, or somebody in its place, can do to an audit.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { commitmentOf, encodeEntry } from '../../src/platform/transparency/entries.ts';
import { createSigner, formatVerifierKey } from '../../src/platform/transparency/notes.ts';
import { formatReceipt } from '../../src/platform/transparency/receipts.ts';
import { audit, type AuditOptions, type AuditReport } from '../src/audit.ts';
import { FormatError, SourceError } from '../src/errors.js';
import { inclusionProof } from '../src/inclusion.js';
import { policyOf } from '../src/policies.js';
import {
  logKeys,
  logSigners,
  makeLog,
  origin,
  serveLog,
  type LogFiles,
  type LogServer,
} from './log-server.ts';
import { encodeAll, Random, randomEntries } from './random-log.ts';

const entries = randomEntries(new Random(1), 6000);
const encoded = encodeAll(entries);
const whole = makeLog(encoded);
const sums = new Map<string, number>();
for (const entry of entries) {
  if (entry.type === 'total') sums.set(entry.petition, entry.counted + entry.imported);
}
const honestlyShown = [...sums].map(([petition, count], n) => ({
  id: `id-${n}`,
  slug: `petition-${n}`,
  log_id: petition as string | null,
  signature_count: count,
}));

let server: LogServer;
let folder: string;
before(async () => {
  server = await serveLog(whole);
  folder = await mkdtemp(join(tmpdir(), 'verifier-'));
});
after(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});
const honestLog = () => ({ origin, verifier_keys: logKeys, witnesses: [] as object[] });
beforeEach(() => {
  server.files = whole;
  server.log = honestLog();
  server.shown = honestlyShown;
  server.requests = [];
});
afterEach(() => {
  server.intercept = () => undefined;
});

const run = (options?: Partial<AuditOptions>): Promise<AuditReport> =>
  audit({ site: server.site, comparesCounts: false, ...options });
const messagesOf = ({ problems }: AuditReport) => problems.map(({ message }) => message).join('\n');

/** Runs the command. */
async function runCommand(args: string[], onStart?: (child: ReturnType<typeof spawn>) => void) {
  const script = fileURLToPath(new URL('../src/cli.ts', import.meta.url));
  const child = spawn(process.execPath, [script, ...args], {
    env: { PATH: process.env.PATH, XDG_STATE_HOME: folder },
  });
  onStart?.(child);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data) => (stdout += String(data)));
  child.stderr.on('data', (data) => (stderr += String(data)));
  const code = await new Promise<number | null>((resolve) => {
    child.once('close', resolve);
  });
  return { code, stdout, stderr };
}

describe('an audit of a dishonest service', () => {
  it('finds a count that is shown twice under one name', async () => {
    const [first] = honestlyShown;
    server.shown = [...honestlyShown, { ...first!, id: 'twin', slug: 'twin' }];
    const report = await run({ comparesCounts: true });
    assert.match(messagesOf(report), /shows twin as .*another petition/);
  });

  it('names how many petitions were left out when they were read again', async () => {
    server.shown = honestlyShown.with(0, { ...honestlyShown[0]!, signature_count: 1_000_000 });
    server.intercept = (path, query) =>
      query.has('ids')
        ? { status: 200, body: '{"data":[],"pagination":{"next_cursor":null}}' }
        : undefined;
    const report = await run({ comparesCounts: true, lagTimeoutMs: 0 });
    assert.equal(report.petitions.vanished, 1);
  });

  it('refuses lists that do not end, and answers of another shape', async () => {
    let page = 0;
    for (const body of [
      () => `{"data":[],"pagination":{"next_cursor":"${(page += 1)}"}}`,
      () => JSON.stringify({ data: honestlyShown, pagination: { next_cursor: 'same' } }),
      () => '{}',
      () => 'null',
      () => '{"data":[null]}',
      () => '{"data":[{"id":"1","slug":"a","log_id":null,"signature_count":"0"}]}',
      () => '{"data":[{"id":"1","slug":"a","log_id":null,"signature_count":1e300}]}',
      () => '{"data":[],"pagination":{"next_cursor":7}}',
    ]) {
      server.intercept = (path) =>
        path === '/v1/petitions' ? { status: 200, body: body() } : undefined;
      await assert.rejects(run({ comparesCounts: true }), SourceError, body());
    }
    for (const body of ['null', '{}', '{"data":{"origin":"x"}}', '{"data":{"origin":1}}']) {
      server.intercept = (path) => (path === '/v1/log' ? { status: 200, body } : undefined);
      await assert.rejects(run(), SourceError, body);
    }
  });

  it('does not learn a key that signs beside the known ones', async () => {
    const stranger = createSigner(origin, 'ed25519', Buffer.alloc(32, 99));
    const strangersKey = formatVerifierKey(stranger.key);
    for (const policy of [undefined, await policyOf([logKeys[0]!])]) {
      const stateFile = join(folder, `keys-${policy ? 'given' : 'remembered'}`);
      server.log = honestLog();
      server.files = whole;
      assert.ok((await run({ stateFile, policy })).holds);
      server.log.verifier_keys = [strangersKey, ...logKeys];
      server.files = makeLog(encoded, [...logSigners, stranger]);
      const beside = await run({ stateFile, policy });
      assert.ok(beside.holds);
      assert.ok(beside.newKeys.includes(strangersKey));
      server.files = makeLog(encoded, [stranger]);
      const alone = await run({ stateFile });
      assert.match(messagesOf(alone), /did not sign .* give the new ones by --key/);
    }
  });

  it('goes past keys of unknown kinds, and times that no calendar has', async () => {
    server.log.verifier_keys = [`${origin}+00000000+/w==`, ...logKeys];
    const late = { ...logSigners[1]!, timestamp: 8_640_000_000_001 };
    server.files = makeLog(encoded.slice(0, 10), [logSigners[0]!, late]);
    assert.match(messagesOf(await run()), /does not verify/);
    server.files = whole;
    assert.ok((await run()).holds);
  });

  it('finds that a receipt is of another history, whose entry has the same place', async () => {
    const index = entries.findIndex(({ type }, n) => type === 'sign' && n > 300);
    const entry = entries[index]!;
    assert.ok(entry.type === 'sign');
    const { petition, version } = entry;
    const opening = {
      v: 1 as const,
      petition,
      version,
      signature: '019a2b3c-4d5e-7f60-8192-a3b4c5d6e7f8',
      random: Buffer.alloc(32, 5).toString('base64url'),
    };
    const commitment = commitmentOf({
      logId: petition,
      version,
      signatureId: opening.signature,
      random: Buffer.alloc(32, 5),
    });
    const fork = encoded.with(index, encodeEntry({ ...entry, commitment }));
    const receiptOf = async (files: LogFiles) => {
      const read = async (path: string) => new Uint8Array(files.get(path)!);
      const hashes = (await inclusionProof(index, fork.length, read)).map((one) =>
        Buffer.from(one),
      );
      const checkpoint = files.get('checkpoint')!.toString();
      return formatReceipt({ opening, index, hashes, checkpoint });
    };
    const forked = makeLog(fork);
    const receipt = await receiptOf(forked);
    server.files = forked;
    const own = await run({ receipt });
    assert.equal(own.receipt?.index, index);
    server.files = whole;
    assert.match(messagesOf(await run({ receipt })), /is not its signature/);
    // An audit that goes on after that entry reads it again, with all others.
    const stateFile = join(folder, 'receipt');
    assert.ok((await run({ stateFile })).holds);
    assert.match(messagesOf(await run({ receipt, stateFile })), /is not its signature/);
    server.files = forked;
    const rewritten = await run({ receipt, stateFile });
    assert.match(messagesOf(rewritten), /was rewritten/);
  });

  it('does not store what it read before the tiles of that were compared', async () => {
    const stateFile = join(folder, 'tiles');
    const wrong = Buffer.from(whole.get('tile/0/001')!);
    wrong[40]! ^= 1;
    server.files = new Map(whole).set('tile/0/001', wrong);
    server.intercept = async (path) => {
      if (path === '/log/tile/0/001') await sleep(300);
      return undefined;
    };
    const stop = new AbortController();
    const interrupted = run({
      stateFile,
      signal: stop.signal,
      onProgress: ({ entries: read }) => read >= 768 && stop.abort(),
    });
    await assert.rejects(interrupted, { name: 'AbortError' });
    assert.match(messagesOf(await run({ stateFile })), /hash 1 of tile\/0\/001/);
  });

  it('ends with the reason where a tile fails before it is waited for', async () => {
    server.intercept = async (path) => {
      if (path === '/log/tile/0/001') return { status: 403 };
      if (path.startsWith('/log/tile/entries/')) await sleep(50);
      return undefined;
    };
    await assert.rejects(run(), SourceError);
    server.intercept = async (path) => {
      if (path === '/log/tile/entries/003') return { status: 200, body: 'xx' };
      if (path !== '/log/tile/0/001') return undefined;
      await sleep(200);
      return { status: 403 };
    };
    assert.match(messagesOf(await run()), /ends within its entry/);
    await sleep(400);
  });

  it('fetches few tiles at the same time', async () => {
    let [open, most] = [0, 0];
    server.intercept = async (path) => {
      if (!path.startsWith('/log/tile/0/')) return undefined;
      open += 1;
      most = Math.max(most, open);
      await sleep(100);
      open -= 1;
      return undefined;
    };
    assert.ok((await run()).holds);
    assert.ok(most <= 14, `${most} at the same time`);
  });

  it('refuses answers that unpack to too much', async () => {
    const body = gzipSync(Buffer.alloc(40 * 2 ** 20));
    server.intercept = (path) =>
      path === '/log/tile/entries/001'
        ? { status: 200, body, headers: { 'content-encoding': 'gzip' } }
        : undefined;
    await assert.rejects(run(), /the answer is too long/);
  });

  it('finds imports that exceed the numbers of a log', async () => {
    const petition = '3d1f0c5e-8a4b-4c6d-9e2f-000000000009';
    const text_hash = Buffer.alloc(32).toString('base64url');
    const importOf = (count: number) => encodeEntry({ v: 1, type: 'import', petition, count });
    server.files = makeLog([
      encodeEntry({ v: 1, type: 'text', petition, version: 1, language: 'de', text_hash }),
      importOf(Number.MAX_SAFE_INTEGER),
      importOf(1),
    ]);
    assert.match(messagesOf(await run()), /exceed the numbers/);
  });
});

describe('the stored audit', () => {
  it('is refused where it is damaged', async () => {
    const stateFile = join(folder, 'damaged');
    await run({ stateFile });
    const stored = await readFile(stateFile);
    const end = stored.indexOf('\n');
    const head = JSON.parse(stored.subarray(0, end).toString());
    for (const change of [
      () => null,
      () => ({ ...head, walk: {} }),
      () => ({ ...head, walk: { ...head.walk, tree: { size: 6, edge: [] } } }),
      () => ({ ...head, walk: { ...head.walk, tree: { ...head.walk.tree, edge: [''] } } }),
      () => ({ ...head, walk: { ...head.walk, recount: { ...head.walk.recount, petitions: 1 } } }),
    ]) {
      const damaged = Buffer.from(JSON.stringify(change()));
      await writeFile(stateFile, Buffer.concat([damaged, stored.subarray(end)]));
      await assert.rejects(run({ stateFile }), FormatError, damaged.toString().slice(0, 80));
    }
  });

  it('is one of them where two audits store at the same time', async () => {
    const stateFile = join(folder, 'twice', 'state');
    await Promise.all(Array.from({ length: 4 }, () => run({ stateFile })));
    assert.equal((await run({ stateFile })).entriesRead, 0);
    assert.deepEqual(await readdir(join(folder, 'twice')), ['state']);
  });
});

describe('the command', () => {
  it('names a key that signs beside the remembered ones', async () => {
    await runCommand(['audit', server.site, '--no-counts']);
    const stranger = createSigner(origin, 'ed25519', Buffer.alloc(32, 99));
    server.log.verifier_keys = [formatVerifierKey(stranger.key), ...logKeys];
    server.files = makeLog(encoded, [...logSigners, stranger]);
    const { code, stdout } = await runCommand(['audit', server.site, '--no-counts']);
    assert.equal(code, 0, stdout);
    assert.ok(stdout.includes(`new key     ${origin}+${stranger.key.id} signs, too;`), stdout);
  });

  it('shows no control characters of a service', async () => {
    server.shown = [
      {
        id: '1',
        slug: 'a\u001b[2J\u009b2J\nOK: everything holds.\u202e',
        log_id: null,
        signature_count: 0,
      },
    ];
    server.intercept = (path) => {
      // The same name under two ids.
      if (path !== '/v1/petitions') return undefined;
      const [one] = server.shown;
      const log_id = honestlyShown[0]!.log_id;
      const count = honestlyShown[0]!.signature_count;
      const data = ['1', '2'].map((id) => ({ ...one, id, log_id, signature_count: count }));
      return { status: 200, body: JSON.stringify({ data }) };
    };
    const { code, stdout } = await runCommand(['audit', server.site]);
    assert.equal(code, 1);
    assert.match(
      stdout,
      /the service shows a\uFFFD\[2J\uFFFD2J\uFFFDOK: everything holds\.\uFFFD as/,
    );
    assert.doesNotMatch(stdout, /^OK/m);
    server.intercept = () => undefined;
    server.log.origin = 'x\u001b[2J';
    const other = await runCommand(['audit', server.site]);
    assert.ok(!(other.stdout + other.stderr).includes('\u001b'));
  });

  it('exits with 2 where the audit cannot be stored, and with 3 where the service answers nonsense', async () => {
    const closed = join(folder, 'closed');
    await writeFile(closed, '');
    const unstored = await runCommand([
      'audit',
      server.site,
      '--no-counts',
      '--state',
      join(closed, 'state'),
    ]);
    assert.deepEqual(
      [unstored.code, unstored.stderr.includes('    at ')],
      [2, false],
      unstored.stderr,
    );
    server.intercept = (path) => (path === '/v1/log' ? { status: 200, body: '{}' } : undefined);
    assert.equal((await runCommand(['audit', server.site])).code, 3);
  });
});
