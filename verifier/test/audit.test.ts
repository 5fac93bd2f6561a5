import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { audit, type AuditOptions, type AuditReport } from '../src/audit.ts';
import { FormatError, SourceError } from '../src/errors.js';
import { parsePolicy, policyOf } from '../src/policies.js';
import {
  logKeys,
  makeLog,
  serveLog,
  witnessKeys,
  witnessName,
  type LogServer,
} from './log-server.ts';
import { encodeAll, Random, randomEntries } from './random-log.ts';

const entries = randomEntries(new Random(1), 1400);
const whole = makeLog(encodeAll(entries));

/** The same sums and totals, but two signatures changed places: only the history shows it. */
const place = entries.findIndex(
  ({ type }, n) => type === 'sign' && entries[n + 1]!.type === 'sign' && n > 300,
);
const rewritten = entries.with(place, entries[place + 1]!).with(place + 1, entries[place]!);

describe('an audit', () => {
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

  const run = (options?: Partial<AuditOptions>): Promise<AuditReport> =>
    audit({ site: server.site, comparesCounts: false, ...options });
  const serve = (files: Map<string, Buffer>) => {
    server.files = files;
    server.requests = [];
  };
  const kindsOf = ({ problems }: AuditReport) => [...new Set(problems.map(({ kind }) => kind))];

  it('adds up the entries', async () => {
    serve(whole);
    const report = await run();
    assert.deepEqual(report.problems, []);
    assert.ok(report.holds);
    assert.equal(report.size, entries.length);
    assert.equal(report.entriesRead, entries.length);
    assert.equal(report.keySource, 'service');
    assert.equal(report.signatures.length, 2);
    const newest = new Map(
      entries.flatMap((entry) => (entry.type === 'total' ? [[entry.petition, entry]] : [])),
    );
    const sum = (part: 'counted' | 'imported') =>
      newest.values().reduce((total, entry) => total + entry[part], 0);
    assert.equal(report.petitions.logged, newest.size);
    assert.equal(report.petitions.counted, sum('counted'));
    assert.equal(report.petitions.imported, sum('imported'));
    assert.equal(report.petitions.totals, entries.filter(({ type }) => type === 'total').length);
  });

  it('goes on from the last one, and reads only what is new', async () => {
    const stateFile = join(folder, 'goes-on');
    for (const size of [0, 1, 2, 255, 256, 257, 700, 1024, 1400]) {
      serve(makeLog(encodeAll(entries.slice(0, size))));
      const report = await run({ stateFile });
      assert.deepEqual(report.problems, [], `at ${size}`);
    }
    const again = await run({ stateFile });
    assert.equal(again.entriesRead, 0);
    assert.equal(again.keySource, 'remembered');
    assert.equal(again.earlier?.size, 1400);
    serve(whole);
    const last = await run({ stateFile });
    assert.equal(last.entriesRead, entries.length - 1400);
    const fresh = await run();
    assert.deepEqual(last.petitions, fresh.petitions);
    serve(whole);
    await run({ stateFile });
    assert.ok(!server.requests.includes('/log/tile/entries/000'));
  });

  it('goes on after it was interrupted', async () => {
    const stateFile = join(folder, 'interrupted');
    serve(whole);
    const stop = new AbortController();
    const interrupted = run({
      stateFile,
      signal: stop.signal,
      onProgress: ({ entries: read }) => read >= 768 && stop.abort(),
    });
    await assert.rejects(interrupted, { name: 'AbortError' });
    const report = await run({ stateFile });
    assert.deepEqual(report.problems, []);
    assert.equal(report.entriesRead, entries.length - 768);
    assert.deepEqual(report.petitions, (await run()).petitions);
  });

  it('finds that the log was rewritten, cut, or is of another key', async () => {
    const stateFile = join(folder, 'rewritten');
    serve(makeLog(encodeAll(entries.slice(0, 1000))));
    await run({ stateFile });
    for (const size of [1000, entries.length]) {
      serve(makeLog(encodeAll(rewritten.slice(0, size))));
      const report = await run({ stateFile });
      assert.equal(report.problemCount, 1);
      assert.deepEqual(kindsOf(report), ['history'], `of ${size}`);
      assert.match(report.problems[0]!.message, /first 1000 entries .* was rewritten/);
    }
    serve(makeLog(encodeAll(entries.slice(0, 999))));
    assert.match((await run({ stateFile })).problems[0]!.message, /999 entries; 1000 were read/);
    // It is found again, since nothing was stored.
    serve(whole);
    assert.ok((await run({ stateFile })).holds);
    const policy = await policyOf([logKeys[0]!.replace(/^[^+]*/, 'elsewhere')]).catch(
      (error: unknown) => error,
    );
    assert.ok(policy instanceof FormatError);
  });

  it('demands the witnesses of the policy', async () => {
    serve(whole);
    const text = [
      `log ${logKeys[0]}`,
      `witness W1 ${witnessKeys[0]}`,
      `witness W2 ${witnessKeys[1]}`,
      'group W 2 W1 W2',
      'quorum W',
      '',
    ].join('\n');
    const policy = await parsePolicy(text);
    const report = await run({ policy });
    assert.ok(report.holds);
    assert.equal(report.keySource, 'given');
    assert.equal(report.signatures.filter(({ name }) => name === witnessName).length, 2);
    const note = whole.get('checkpoint')!.toString();
    const without = note.split('\n').filter((line) => !line.includes(witnessName));
    serve(new Map(whole).set('checkpoint', Buffer.from(without.join('\n'))));
    const missing = await run({ policy, witnessTimeoutMs: 0 });
    assert.deepEqual(kindsOf(missing), ['checkpoint']);
    assert.match(missing.problems[0]!.message, /too few witnesses/);
    // A new checkpoint is published before they have cosigned it.
    server.intercept = (path) => {
      const reads = server.requests.filter((one) => one === '/log/checkpoint').length;
      if (path === '/log/checkpoint' && reads > 2) server.files = whole;
      return undefined;
    };
    server.requests = [];
    assert.ok((await run({ policy })).holds);
    server.intercept = () => undefined;
  });

  it('compares the shown counts, and waits for the log to follow them', async () => {
    serve(makeLog(encodeAll(entries.slice(0, 1000))));
    const sums = new Map<string, number>();
    for (const entry of entries) {
      if (entry.type === 'total') sums.set(entry.petition, entry.counted + entry.imported);
    }
    server.shown = [...sums].map(([petition, count], n) => ({
      id: `id-${n}`,
      slug: `petition-${n}`,
      log_id: petition,
      signature_count: count,
    }));
    server.intercept = (path) => {
      // The log follows once its checkpoint was read.
      if (path === '/v1/petitions') server.files = whole;
      return undefined;
    };
    const report = await run({ comparesCounts: true });
    server.intercept = () => undefined;
    assert.deepEqual(report.problems, []);
    assert.equal(report.size, entries.length);
    assert.equal(report.petitions.shown, sums.size);
  });

  it('asks nothing of the service where keys and a mirror are given', async () => {
    await using mirror = await serveLog(whole);
    const logUrl = `${mirror.site}/log`;
    const policy = await policyOf([logKeys[0]!]);
    serve(whole);
    server.intercept = () => ({ status: 403 });
    const stateFile = join(folder, 'mirror');
    const report = await run({ logUrl, policy, stateFile });
    assert.ok(report.holds);
    assert.equal(report.size, entries.length);
    assert.equal(report.keySource, 'given');
    assert.equal((await run({ logUrl, policy, stateFile })).earlier?.size, entries.length);
    assert.deepEqual(server.requests, []);
    // Without keys, or with counts, it has to be asked.
    await assert.rejects(run({ logUrl }), SourceError);
    await assert.rejects(run({ logUrl, policy, comparesCounts: true }), SourceError);
    server.intercept = () => undefined;
  });

  it('finds by one state that a mirror and its service have two histories', async () => {
    await using mirror = await serveLog(makeLog(encodeAll(entries.slice(0, 1000))));
    const logUrl = `${mirror.site}/log`;
    const stateFile = join(folder, 'both');
    serve(whole);
    assert.ok((await run({ logUrl, stateFile })).holds);
    assert.equal((await run({ stateFile })).earlier?.size, 1000);
    mirror.files = makeLog(encodeAll(rewritten));
    assert.deepEqual(kindsOf(await run({ logUrl, stateFile })), ['history']);
  });

  it('says nothing of a log whose server does not answer', async () => {
    serve(whole);
    server.intercept = (path) => (path.endsWith('/tile/0/002') ? { status: 403 } : undefined);
    await assert.rejects(run(), SourceError);
    server.intercept = (path) => (path === '/v1/log' ? { status: 200, body: '<html>' } : undefined);
    await assert.rejects(run(), SourceError);
    server.intercept = () => undefined;
  });

  it('tries again where the server fails once', async () => {
    serve(whole);
    const failed = new Set<string>();
    server.intercept = (path) => {
      if (!path.endsWith('/tile/entries/001') || failed.has(path)) return undefined;
      failed.add(path);
      return { status: 503 };
    };
    assert.ok((await run()).holds);
    server.intercept = () => undefined;
  });

  it('takes the full tile where the partial one is gone', async () => {
    const shorter = makeLog(encodeAll(entries.slice(0, 700)));
    const kept = [...shorter].filter(([path]) => !/tile\/(0|entries)\/.*\.p/.test(path));
    serve(new Map([...whole, ...kept]));
    assert.ok((await run()).holds);
  });

  it('refuses a state that is none', async () => {
    const stateFile = join(folder, 'broken');
    await writeFile(stateFile, 'nothing');
    await assert.rejects(run({ stateFile }), FormatError);
    serve(whole);
    const good = join(folder, 'good');
    await run({ stateFile: good });
    const bytes = await readFile(good);
    await writeFile(stateFile, bytes.subarray(0, bytes.length - 3));
    await assert.rejects(run({ stateFile }), FormatError);
  });
});
