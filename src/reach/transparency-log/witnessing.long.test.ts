import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { runCli } from '../../../test/support/command.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { commandEnv, createInstance, type Instance } from '../../../test/support/log-instance.ts';
import {
  createPublished,
  createUsers,
  signUp,
  type TestUser,
} from '../../../test/support/people.ts';
import { countedLog, logWith, type LoggedPetition } from '../../../test/support/public-log.ts';
import { startReceiver } from '../../../test/support/receiver.ts';
import { freePort } from '../../../test/support/process.ts';
import type { Service } from '../../../test/support/service.ts';
import {
  addCheckpoint,
  memoryLog,
  startWitnessProcess,
  temporaryFolder,
  type WitnessProcess,
} from '../../../test/support/witness.ts';
import {
  parseVerifierKey,
  verifyNote,
  type VerifierKey,
} from '../../platform/transparency/notes.ts';
import { verifyReceipt } from '../../platform/transparency/receipts.ts';
import { formatSubmission } from '../../platform/transparency/witness-protocol.ts';
import { readSigners } from './log-keys.ts';
import type { Witness } from './schema.ts';

const defaultOrigin = 'petitions.test/log';

/** Returns LOG_WITNESSES for these witnesses. */
const settingOf = (...witnesses: readonly Pick<WitnessProcess, 'origin' | 'verifierKeys'>[]) => ({
  LOG_WITNESSES: witnesses
    .flatMap(({ origin, verifierKeys }) => verifierKeys.map((key) => `${origin} ${key}`))
    .join(', '),
});

const keysOf = ({ verifierKeys }: Pick<WitnessProcess, 'verifierKeys'>): VerifierKey[] =>
  verifierKeys.map(parseVerifierKey);

/** Returns the verifier keys of an instance's log, before it is started with witnesses. */
async function logKeysOf(instance: Instance, env: Record<string, string> = {}): Promise<string[]> {
  await using service = await instance.start({ env });
  return (await service.api.get('/v1/log')).body.data.verifier_keys;
}

/** Makes a witness that knows these logs, in a folder of its own. */
async function startWitnessOf(name: string, logs: readonly string[]) {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const port = await freePort();
  const start = async () =>
    stack.use(await startWitnessProcess({ name, folder: folder.path, logs, port }));
  return { ...(await start()), start, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Which of these keys have signed the checkpoint that is served. */
async function signersOf({ origin }: Service, keys: readonly VerifierKey[]): Promise<string[]> {
  const response = await fetch(`${origin}/log/checkpoint`);
  if (response.status !== 200) return [];
  const note = await response.text();
  try {
    return verifyNote(note, keys).signatures.map(({ key }) => `${key.name} ${key.kind}`);
  } catch {
    return [];
  }
}

const cosignedBy = (service: Service, witness: WitnessProcess | { verifierKeys: string[] }) =>
  eventually(async () => (await signersOf(service, keysOf(witness))).length === 2);

async function sign({ api }: Pick<TestUser, 'api'>, { id }: LoggedPetition): Promise<void> {
  assert.equal((await api.post(`/v1/petitions/${id}/signatures`)).status, 201);
}

async function signOnce(service: Service, petition: LoggedPetition): Promise<TestUser> {
  const [signer] = await createUsers(service, 1);
  await sign(signer!, petition);
  return signer!;
}

const publicLog = async ({ api, ctx }: Service) => {
  ctx.cache.drop('transparency-log');
  return (await api.get('/v1/log')).body.data;
};

async function failureOf({ ctx }: Service, { origin }: { origin: string }): Promise<string | null> {
  return ctx.db.value<string | null>`
    select failure from transparency_witnesses where url = ${origin}`;
}

describe('witnesses of the log', () => {
  it('cosign what two instances publish, and receipts have that', async () => {
    await using stack = new AsyncDisposableStack();
    const origins = ['north.test/log', 'south.test/log'];
    const instances = [
      stack.use(await createInstance()),
      stack.use(await createInstance()),
    ] as const;
    const keys = [
      await logKeysOf(instances[0], { LOG_ORIGIN: origins[0]! }),
      await logKeysOf(instances[1], { LOG_ORIGIN: origins[1]! }),
    ] as const;
    // Each operator runs a witness for the other.
    const witnesses = [
      stack.use(await startWitnessOf('north.test/witness', keys[1])),
      stack.use(await startWitnessOf('south.test/witness', keys[0])),
    ] as const;
    for (const n of [0, 1]) {
      const witness = witnesses[1 - n]!;
      const origin = origins[n]!;
      await using service = await instances[n]!.start({
        env: { LOG_ORIGIN: origin, ...settingOf(witness) },
      });
      const before = (await publicLog(service)).witnesses;
      assert.deepEqual(
        before.map(({ name, verifier_key: key, size, cosigned_at: at }: Witness) => [
          name,
          key,
          size,
          at,
        ]),
        witness.verifierKeys.map((key) => [keysOf(witness)[0]!.name, key, null, null]),
      );
      const petition = await createPublished(await signUp(service, 'Creator'));
      const signer = await signOnce(service, petition);
      await countedLog(service, petition, 1);
      await cosignedBy(service, witness);
      const path = `/v1/petitions/${petition.id}/signatures/me/receipt`;
      const trust = {
        origin,
        logKeys: keys[n]!.map(parseVerifierKey),
        witnessKeys: keysOf(witness),
      };
      // A checkpoint that lacks cosignatures is not taken while an earlier one has the leaf and all of them.
      for (let more = 0; more < 3; more++) {
        const receipt = await signer.api.get(path);
        assert.equal(receipt.status, 200);
        const { signatures } = verifyReceipt(receipt.body as string, trust);
        assert.deepEqual(signatures.map(({ key }) => key.kind).toSorted(), [
          'ed25519',
          'ed25519-cosignature',
          'ml-dsa-44-cosignature',
          'ml-dsa-44-cosignature',
        ]);
        await signOnce(service, petition);
        await countedLog(service, petition, 2 + more);
      }
      await cosignedBy(service, witness);
      const { witnesses: shown, tree_size: size } = await publicLog(service);
      assert.deepEqual(
        shown.map((one: { size: number }) => one.size),
        [size, size],
      );
      assert.ok(Math.abs(Date.parse(shown[0].cosigned_at) - Date.now()) < 60_000);
      const metrics = (await service.api.get('/metrics')).body;
      assert.match(
        metrics,
        /^transparency_log_witness_lag_seconds\{witness="[a-z.]+\/witness"\} 0$/m,
      );
    }
  });

  it('delay nothing while one of them never answers', async () => {
    await using stack = new AsyncDisposableStack();
    const instance = stack.use(await createInstance());
    const witness = stack.use(await startWitnessOf('good.test/witness', await logKeysOf(instance)));
    const silent = createServer().listen(0, '127.0.0.1');
    const sockets = new Set<Socket>();
    silent.on('connection', (socket) => sockets.add(socket));
    await once(silent, 'listening');
    stack.defer(() => {
      for (const socket of sockets) socket.destroy();
      silent.close();
    });
    const other = stack.use(await startWitnessOf('silent.test/witness', await logKeysOf(instance)));
    const origin = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const env = settingOf({ origin, verifierKeys: other.verifierKeys }, witness);
    const service = stack.use(await instance.start({ env }));
    const petition = await createPublished(await signUp(service, 'Creator'));
    await eventually(() => sockets.size > 0);
    const signer = await signOnce(service, petition);
    const startedAt = performance.now();
    await countedLog(service, petition, 1);
    await cosignedBy(service, witness);
    assert.ok(performance.now() - startedAt < 8000, 'the silent one is given 10 s');
    assert.deepEqual(await signersOf(service, keysOf(other)), []);
    const receipt = await signer.api.get(`/v1/petitions/${petition.id}/signatures/me/receipt`);
    const { signatures } = verifyReceipt(receipt.body as string, {
      origin: defaultOrigin,
      logKeys: (await publicLog(service)).verifier_keys.map(parseVerifierKey),
      witnessKeys: [...keysOf(witness), ...keysOf(other)],
    });
    assert.equal(signatures.filter(({ key }) => key.name === 'good.test/witness').length, 2);
    await eventually(async () => /within 10 s/.test((await failureOf(service, { origin })) ?? ''));
    const metrics = (await service.api.get('/metrics')).body;
    assert.match(
      metrics,
      /^transparency_log_witness_lag_seconds\{witness="silent.test\/witness"\} \d*[1-9]/m,
    );
    const endedAt = performance.now();
    await service[Symbol.asyncDispose]();
    assert.ok(performance.now() - endedAt < 5000, 'a stop does not wait for it');
  });

  it('are asked from the size that they know, and go on after a restart', async () => {
    await using stack = new AsyncDisposableStack();
    const instance = stack.use(await createInstance());
    const witness = stack.use(await startWitnessOf('w.test/1', await logKeysOf(instance)));
    let petition: LoggedPetition;
    {
      await using service = await instance.start();
      petition = await createPublished(await signUp(service, 'Creator'));
      await signOnce(service, petition);
      const { note } = await countedLog(service, petition, 1);
      const body = formatSubmission({ oldSize: 0, proof: [], note });
      assert.equal((await addCheckpoint(witness.origin, body)).status, 200);
    }
    const lines: string[] = [];
    await using service = await instance.start({
      env: { ...settingOf(witness), LOG_LEVEL: 'info' },
      lines,
    });
    // The service believes that the witness knows nothing.
    await signOnce(service, petition);
    await countedLog(service, petition, 2);
    await cosignedBy(service, witness);
    assert.equal(await failureOf(service, witness), null);

    assert.equal(await witness.end('SIGKILL'), 'SIGKILL');
    await signOnce(service, petition);
    await countedLog(service, petition, 3);
    await eventually(async () => /refused/.test((await failureOf(service, witness)) ?? ''));
    const again = await witness.start();
    assert.deepEqual(again.verifierKeys, witness.verifierKeys);
    await cosignedBy(service, again);
    const said = lines.filter((line) => line.includes('did not cosign'));
    assert.equal(said.length, 1, said.join('\n'));
    assert.ok(lines.some((line) => line.includes('cosigns again')));
    assert.equal(await again.end('SIGTERM'), 0);
  });

  it('refuse another history, and others cosign all the same', async () => {
    await using stack = new AsyncDisposableStack();
    const instance = stack.use(await createInstance());
    const keys = await logKeysOf(instance);
    const deceived = stack.use(await startWitnessOf('deceived.test/w', keys));
    const witness = stack.use(await startWitnessOf('good.test/w', keys));
    const lines: string[] = [];
    const env = settingOf(deceived, witness);
    await using service = await instance.start({ env, lines });
    const { config, db } = service.ctx;
    const signers = await readSigners(db, {
      secret: config.secret,
      origin: defaultOrigin,
      now: new Date(),
    });
    const fork = memoryLog(defaultOrigin, signers);
    const { status } = await addCheckpoint(deceived.origin, await fork.submission(0, 1));
    assert.equal(status, 200);
    const petition = await createPublished(await signUp(service, 'Creator'));
    await signOnce(service, petition);
    await countedLog(service, petition, 1);
    await cosignedBy(service, witness);
    await eventually(async () =>
      /another history/.test((await failureOf(service, deceived)) ?? ''),
    );
    assert.deepEqual(await signersOf(service, keysOf(deceived)), []);
    const shown = (await publicLog(service)).witnesses;
    assert.deepEqual(
      shown.map(({ size }: { size: number | null }) => size === null),
      [true, true, false, false],
    );
  });

  it('go on while the keys of the log are replaced', async () => {
    await using stack = new AsyncDisposableStack();
    const instance = stack.use(await createInstance());
    const witness = stack.use(await startWitnessOf('w.test/1', await logKeysOf(instance)));
    await using service = await instance.start({ env: settingOf(witness) });
    const petition = await createPublished(await signUp(service, 'Creator'));
    await logWith(service, ({ entries }) => entries.length > 0);
    await cosignedBy(service, witness);
    const { code, stderr } = await runCli('rotate-log-key', [], commandEnv(service));
    assert.equal(code, 0, stderr);
    const signatures = async () => {
      const keys: VerifierKey[] = (await publicLog(service)).verifier_keys.map(parseVerifierKey);
      return signersOf(service, [...keys, ...keysOf(witness)]);
    };
    await eventually(async () => (await signatures()).length === 6);
    await signOnce(service, petition);
    await countedLog(service, petition, 1);
    await eventually(async () => (await signatures()).length === 6);
    assert.equal(await failureOf(service, witness), null);
  });

  it('are not believed where their answers are nonsense', async () => {
    await using stack = new AsyncDisposableStack();
    const instance = stack.use(await createInstance());
    const keys = await logKeysOf(instance);
    const witness = stack.use(await startWitnessOf('w.test/1', keys));
    const nonsense = stack.use(await startReceiver((_, response) => response.end('— nonsense\n')));
    const env = settingOf({ origin: nonsense.origin, verifierKeys: witness.verifierKeys });
    const service = stack.use(await instance.start({ env }));
    const petition = await createPublished(await signUp(service, 'Creator'));
    await signOnce(service, petition);
    await countedLog(service, petition, 1);
    await eventually(async () => {
      const because = await service.ctx.db.value<string | null>`
        select failure from transparency_witnesses`;
      return because?.startsWith('Its answer was not accepted') ?? false;
    });
    assert.deepEqual(await signersOf(service, keysOf(witness)), []);
  });

  it('are named by the key that did not cosign', async () => {
    await using stack = new AsyncDisposableStack();
    const instance = stack.use(await createInstance());
    const witness = stack.use(await startWitnessOf('w.test/1', await logKeysOf(instance)));
    const askWitness = async (response: ServerResponse) => {
      const { status, body } = await addCheckpoint(witness.origin, half.received.at(-1)!.body);
      response.writeHead(status).end(body.replace(/\n[^]+/, '\n'));
    };
    const half = stack.use(await startReceiver((_, response) => void askWitness(response)));
    const { verifierKeys } = witness;
    const env = settingOf({ origin: half.origin, verifierKeys });
    const service = stack.use(await instance.start({ env }));
    const petition = await createPublished(await signUp(service, 'Creator'));
    await signOnce(service, petition);
    await countedLog(service, petition, 1);
    const [name, id] = verifierKeys[1]!.split('+');
    const failure = `Its answer has no cosignature of ${name}+${id}.`;
    await eventually(async () => (await failureOf(service, half)) === failure);
  });
});
