import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { eventually } from '../../test/support/eventually.ts';
import {
  addCheckpoint,
  makeLogSigners,
  memoryLog,
  temporaryFolder,
  type MemoryLog,
} from '../../test/support/witness.ts';
import { formatCheckpoint, parseCheckpoint } from '../platform/transparency/checkpoints.ts';
import {
  formatNote,
  formatVerifierKey,
  parseNote,
  parseVerifierKey,
  signText,
  verifyNote,
} from '../platform/transparency/notes.ts';
import { formatSubmission } from '../platform/transparency/witness-protocol.ts';
import { startWitness } from './server.ts';
import { readWitnessSettings } from './settings.ts';

const name = 'witness.test/w1';

/** A witness in this process, with the log that it knows. */
async function startWorld() {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const log = memoryLog('log.test/log');
  const lines: string[] = [];
  const start = async (logs: readonly string[] = log.verifierKeys, path = folder.path) => {
    const settings = readWitnessSettings({
      WITNESS_NAME: name,
      WITNESS_DIR: path,
      WITNESS_PORT: '0',
      WITNESS_LOGS: logs.join(),
    });
    const witness = await startWitness(settings, {
      log: pino({}, { write: (line: string) => void lines.push(line) }),
    });
    stack.use(witness);
    const origin = `http://127.0.0.1:${witness.port}`;
    return {
      ...witness,
      origin,
      keys: witness.verifierKeys.map(parseVerifierKey),
      add: (body: string) => addCheckpoint(origin, body),
    };
  };
  const witness = await start();
  return {
    ...witness,
    folder,
    log,
    lines,
    start,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const addressOf = ({ origin }: { origin: string }, log: MemoryLog) =>
  `${origin}/${hash('sha256', log.origin, 'hex')}/checkpoint`;

/** Returns the size of the newest checkpoint in the folder. */
async function readNewest({ folder }: { folder: { path: string } }, log: MemoryLog) {
  const path = join(folder.path, `${hash('sha256', log.origin, 'hex')}.checkpoint`);
  return parseCheckpoint(parseNote(await readFile(path, 'utf8')).text).size;
}

describe('a witness', () => {
  it('cosigns a log as it grows, with both keys and the time', async () => {
    await using world = await startWorld();
    const { log, keys, add } = world;
    let before = 0;
    for (const size of [0, 1, 2, 3, 256, 257, 257, 513, 600]) {
      const { status, body, type } = await add(await log.submission(before, size));
      assert.equal(status, 200, body);
      assert.equal(type, 'text/plain; charset=utf-8');
      const { text } = parseNote(log.checkpoint(size));
      const { signatures } = verifyNote(`${text}\n${body}`, keys);
      assert.deepEqual(
        signatures.map(({ key }) => key.kind),
        ['ed25519-cosignature', 'ml-dsa-44-cosignature'],
      );
      for (const { timestamp } of signatures) {
        assert.ok(Math.abs(timestamp! - Date.now() / 1000) < 60);
      }
      before = size;
    }
    // Sending a public checkpoint again causes no other signatures.
    const repeated = await log.submission(600, 600);
    assert.equal((await add(repeated)).body, (await add(repeated)).body);
  });

  it('serves the newest cosigned checkpoint, and says what it is', async () => {
    await using world = await startWorld();
    const { log, keys, add } = world;
    assert.equal((await fetch(addressOf(world, log))).status, 404);
    const stranger = makeLogSigners('log.test/log');
    const by = [...log.signers, ...stranger];
    await add(await log.submission(0, 5, by));
    await add(await log.submission(5, 9, by));
    const response = await fetch(addressOf(world, log));
    const note = await response.text();
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.equal(response.headers.get('access-control-allow-origin'), '*');
    const all = [...log.signers.map(({ key }) => key), ...keys];
    const { text, signatures } = verifyNote(note, all);
    assert.equal(signatures.length, 4);
    assert.equal(parseNote(note).signatures.length, 4, 'those of unknown keys are left out');
    assert.equal(parseCheckpoint(text).size, 9);

    const about = await (await fetch(world.origin)).text();
    for (const key of world.verifierKeys) assert.ok(about.includes(key));
    const unknown = await fetch(`${world.origin}/${'0'.repeat(64)}/checkpoint`);
    assert.equal(unknown.status, 404);
  });

  it('names the size that it knows where the old size is another', async () => {
    await using world = await startWorld();
    const { log, add } = world;
    const known = (size: number) => ({ status: 409, body: `${size}\n`, type: 'text/x.tlog.size' });
    assert.deepEqual(await add(await log.submission(3, 5)), known(0));
    await add(await log.submission(0, 5));
    assert.deepEqual(await add(await log.submission(0, 7)), known(5));
    assert.deepEqual(await add(await log.submission(3, 7)), known(5));
    assert.deepEqual(await add(await log.submission(6, 7)), known(5));
    // An earlier checkpoint too.
    assert.deepEqual(await add(await log.submission(0, 3)), known(5));
  });

  it('refuses what is not consistent', async () => {
    await using world = await startWorld();
    const { log, add, lines } = world;
    await add(await log.submission(0, 5));
    const fork = log.fork(4);
    const later = await log.proof(5, 9);
    const note = log.checkpoint(9);
    for (const [what, body] of Object.entries({
      'another root of the same size': await fork.submission(5, 5),
      'another history': await fork.submission(5, 9),
      'the proof of another history': formatSubmission({
        oldSize: 5,
        proof: later,
        note: fork.checkpoint(9),
      }),
      'no proof': formatSubmission({ oldSize: 5, proof: [], note }),
      'a proof that is too long': formatSubmission({
        oldSize: 5,
        proof: [...later, later[0]!],
        note,
      }),
      'a proof of the same size': formatSubmission({
        oldSize: 5,
        proof: later,
        note: log.checkpoint(5),
      }),
    })) {
      assert.equal((await add(body)).status, 422, what);
    }
    assert.equal(lines.filter((line) => line.includes('a log has two histories')).length, 1);
    assert.ok(lines.some((line) => line.includes('without a proof that holds')));
    assert.equal((await add(await log.submission(5, 9))).status, 200);
  });

  it('refuses a proof from nothing, and an empty tree with another root', async () => {
    await using world = await startWorld();
    const { log, add } = world;
    const proof = await log.proof(5, 9);
    const body = formatSubmission({ oldSize: 0, proof, note: log.checkpoint(9) });
    assert.equal((await add(body)).status, 422);
    const text = formatCheckpoint({ origin: log.origin, size: 0, root: log.root(1) });
    const note = formatNote({ text, signatures: log.signers.map((one) => signText(text, one)) });
    assert.equal((await add(formatSubmission({ oldSize: 0, proof: [], note }))).status, 422);
  });

  it('refuses logs that it does not know, and signatures that do not verify', async () => {
    await using world = await startWorld();
    const { log, add } = world;
    const other = memoryLog('other.test/log');
    assert.equal((await add(await other.submission(0, 5))).status, 404);
    const byOthers = await log.submission(0, 5, makeLogSigners(log.origin));
    assert.equal((await add(byOthers)).status, 403);
    const [ed25519, mlDsa] = parseNote(log.checkpoint(5)).signatures;
    for (const signature of [ed25519!, mlDsa!]) signature.signature[20]! ^= 1;
    const { text } = parseNote(log.checkpoint(5));
    const good = parseNote(log.checkpoint(5)).signatures;
    for (const signatures of [[ed25519!, good[1]!], [good[0]!, mlDsa!], [ed25519!]]) {
      const note = formatNote({ text, signatures });
      assert.equal((await add(formatSubmission({ oldSize: 0, proof: [], note }))).status, 403);
    }
    assert.equal((await add(await log.submission(0, 5, [log.signers[1]!]))).status, 200);
  });

  it('refuses what is malformed', async () => {
    await using world = await startWorld();
    const { log, add, origin } = world;
    const note = log.checkpoint(5);
    for (const body of [
      '',
      'old 0\n',
      'old 0\n\n',
      note,
      `old -1\n\n${note}`,
      `old 0\n\n${note.trimEnd()}`,
      `old 0\n\n${note.replace('\n5\n', '\n05\n')}`,
      `old 6\n\n${note}`,
    ]) {
      assert.equal((await add(body)).status, 400, JSON.stringify(body.slice(0, 40)));
    }
    const post = (body: Buffer) =>
      fetch(`${origin}/add-checkpoint`, { method: 'POST', body: new Uint8Array(body) });
    assert.equal((await post(Buffer.of(0xff, 0xfe))).status, 400);
    assert.equal((await post(Buffer.alloc(70_000, 'a'))).status, 413);
    const read = await fetch(`${origin}/add-checkpoint`);
    assert.deepEqual([read.status, read.headers.get('allow')], [405, 'POST']);
    assert.equal((await fetch(`${origin}/checkpoint`)).status, 404);
    assert.equal((await fetch(addressOf(world, log), { method: 'PUT' })).status, 405);
  });

  it('takes requests about one log one after the other', async () => {
    await using world = await startWorld();
    const { log, add } = world;
    await add(await log.submission(0, 5));
    const fork = log.fork(5);
    const bodies = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? log : fork).submission(5, 6 + n)),
    );
    const answers = await Promise.all(bodies.map(add));
    const statuses = answers.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 200).length, 1);
    assert.equal(statuses.filter((status) => status === 409).length, 19);
  });

  it('cosigns one history where two processes use its folder', async () => {
    await using world = await startWorld();
    const { log, lines, start } = world;
    await world.add(await log.submission(0, 5));
    const second = await start();
    const fork = log.fork(5);
    assert.equal((await world.add(await log.submission(5, 9))).status, 200);
    const late = await second.add(await fork.submission(5, 9));
    assert.deepEqual(late, { status: 409, body: '9\n', type: 'text/x.tlog.size' });
    assert.ok(lines.some((line) => line.includes('another process uses the folder')));
    assert.equal((await second.add(await fork.submission(9, 12))).status, 422);
    assert.equal((await second.add(await log.submission(9, 12))).status, 200);
    for (let size = 13; size < 40; size++) {
      const before = await readNewest(world, log);
      const bodies = [log, log.fork(before)].map((one) => one.submission(before, size));
      const [good, forked] = await Promise.all(bodies);
      const [one, other] = await Promise.all([world.add(good!), second.add(forked!)]);
      const cosigned = [one, other].filter(({ status }) => status === 200);
      assert.ok(cosigned.length <= 1, `at ${size}`);
      if (other.status === 200) break;
    }
  });

  it('does not go back to an older state of its folder', async () => {
    await using world = await startWorld();
    const { log, folder } = world;
    await world.add(await log.submission(0, 5));
    const path = join(folder.path, `${hash('sha256', log.origin, 'hex')}.checkpoint`);
    const backup = await readFile(path);
    await world.add(await log.submission(5, 9));
    await writeFile(path, backup);
    assert.equal((await world.add(await log.submission(9, 12))).status, 503);
    assert.deepEqual(await world.add(await log.fork(5).submission(5, 9)), {
      status: 409,
      body: '9\n',
      type: 'text/x.tlog.size',
    });
  });

  it('logs nothing of clients that go away, and removes what a killed process left', async () => {
    await using world = await startWorld();
    const { log, folder, lines, start } = world;
    const socket = connect(world.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write('POST /add-checkpoint HTTP/1.1\r\nHost: w\r\nContent-Length: 9\r\n\r\nold');
    await eventually(async () => (await world.add('')).status === 400);
    socket.destroy();
    await once(socket, 'close');
    assert.equal((await world.add(await log.submission(0, 5))).status, 200);
    assert.deepEqual(lines, []);
    const left = `.${hash('sha256', log.origin, 'hex')}.checkpoint.part`;
    await writeFile(join(folder.path, left), 'half');
    const busy = await world.add(await log.submission(5, 7));
    assert.equal(busy.status, 503);
    await world.stop();
    const again = await start();
    assert.equal((await again.add(await log.submission(5, 7))).status, 200);
  });

  it('keeps its keys and what it cosigned, and takes new keys of a log', async () => {
    await using world = await startWorld();
    const { log, folder, start } = world;
    await world.add(await log.submission(0, 5));
    await world.stop();
    const next = makeLogSigners(log.origin);
    const nextKeys = next.map(({ key }) => formatVerifierKey(key));
    const again = await start([...log.verifierKeys, ...nextKeys]);
    assert.deepEqual(again.verifierKeys, world.verifierKeys);
    assert.equal((await again.add(await log.submission(0, 9))).body, '5\n');
    assert.equal((await again.add(await log.submission(5, 9, next))).status, 200);
    const both = [...next, ...log.signers];
    assert.equal((await again.add(await log.submission(9, 11, both))).status, 200);
    const mode = (await stat(join(folder.path, 'secret-key'))).mode & 0o777;
    assert.equal(mode, 0o600);
    const written = await readFile(join(folder.path, 'verifier-keys.txt'), 'utf8');
    assert.equal(written, `${world.verifierKeys.join('\n')}\n`);
  });

  it('does not start with a damaged folder', async () => {
    await using world = await startWorld();
    const { log, folder, start } = world;
    await world.add(await log.submission(0, 5));
    await world.stop();
    const path = join(folder.path, `${hash('sha256', log.origin, 'hex')}.checkpoint`);
    const note = await readFile(path, 'utf8');
    await writeFile(path, note.slice(0, 10));
    await assert.rejects(start(), { name: 'ConfigError', message: /is damaged/ });
    await writeFile(path, note);
    await writeFile(join(folder.path, 'secret-key'), 'AAAA\n');
    await assert.rejects(start(), { name: 'ConfigError', message: /is damaged/ });
  });

  it('names the setting that is missing or wrong', () => {
    const settings = {
      WITNESS_NAME: name,
      WITNESS_LOGS: memoryLog('log.test').verifierKeys.join(),
    };
    assert.equal(readWitnessSettings(settings).logs.get('log.test')!.length, 2);
    for (const [wrong, message] of [
      [{ WITNESS_NAME: '' }, /^WITNESS_NAME is needed/],
      [{ WITNESS_NAME: 'a witness' }, /^WITNESS_NAME is 'a witness'/],
      [{ WITNESS_LOGS: '' }, /^WITNESS_LOGS is needed/],
      [{ WITNESS_LOGS: 'log.test' }, /^WITNESS_LOGS has 'log.test', which is no key/],
      [{ WITNESS_PORT: 'x' }, /^WITNESS_PORT is 'x'/],
    ] as const) {
      assert.throws(() => readWitnessSettings({ ...settings, ...wrong }), {
        name: 'ConfigError',
        message,
      });
    }
  });
});
