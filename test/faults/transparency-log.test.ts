import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm, watch } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { migrate } from '../../src/platform/migrate.ts';
import { commitmentOf } from '../../src/platform/transparency/entries.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { openTestPool, prepareCrowd, type Crowd } from '../support/load.ts';
import { CheckpointWatcher, requireOneHistory } from '../support/log-history.ts';
import { givenKey, whileSigning, type Given } from '../support/log-signers.ts';
import { startProcess } from '../support/process.ts';
import { readLog, recount, type VerifiedLog } from '../support/public-log.ts';
import { rounds, roundsTimeout } from '../support/rounds.ts';
import { assertVerified } from '../support/verify.ts';

const settings = { BASE_URL: 'http://petitions.test' };
const crowdSize = { petitions: 3, signers: 400 * rounds };

it(
  'has one history, and each counted signature once, though its writer is killed',
  roundsTimeout(30_000),
  async (t) => {
    await using folder = await createFolder();
    await using database = await createTestDatabase();
    const crowd = await prepareCrowd(database.url, crowdSize);
    const env = { ...crowd.env, ...settings, DATA_DIR: folder.path };
    await using service = await startProcess({ ...env, ROLE: 'web' });
    await using stack = new AsyncDisposableStack();
    const startWriter = async () => stack.use(await startProcess({ ...env, ROLE: 'worker' }));
    let writer = await startWriter();
    await using watcher = new CheckpointWatcher(service.origin);
    const given = await whileSigning(crowd, service.origin, async () => {
      await growth(service.origin);
      for (let round = 0; round < rounds; round += 1) {
        await momentOf(round, folder.path);
        assert.equal(await writer.end('SIGKILL'), 'SIGKILL', writer.output());
        writer = await startWriter();
        await growth(service.origin);
      }
    });
    const refused = [...given.statuses.keys()].filter(
      (status) => ![201, 204, 409].includes(status),
    );
    assert.deepEqual(refused, [], 'people do not notice');
    const log = await wholeLog(service.origin, crowd);
    t.diagnostic(reportOf({ log, given, watcher }));
    requireOneLine(requireOneHistory(log, watcher.notes));
    await requireLeaves(database.url, log, given);
    await assertVerified(database.url);
  },
);

it(
  'has one history, and each counted signature once, though PostgreSQL is killed',
  roundsTimeout(30_000),
  async (t) => {
    await using folder = await createFolder();
    const pidFile = join(folder.path, 'postgres/data/postmaster.pid');
    const postmasterPid = async () => Number((await readFile(pidFile, 'utf8')).split('\n')[0]);
    const embedded = await startEmbeddedPostgres({ dataDir: folder.path });
    let crowd: Crowd;
    try {
      await migrate(embedded.url);
      crowd = await prepareCrowd(embedded.url, crowdSize);
    } finally {
      await embedded.stop();
    }
    const { DATABASE_URL: url = '', ...env } = crowd.env;
    await using service = await startProcess({ ...env, ...settings, DATA_DIR: folder.path });
    await using watcher = new CheckpointWatcher(service.origin);
    const given = await whileSigning(crowd, service.origin, async () => {
      await growth(service.origin);
      for (let round = 0; round < rounds; round += 1) {
        await momentOf(round, folder.path);
        const killed = await postmasterPid();
        process.kill(killed, 'SIGKILL');
        await eventually(
          async () => (await postmasterPid().catch(() => killed)) !== killed,
          20_000,
        );
        await growth(service.origin);
      }
    });
    const refused = [...given.statuses.keys()].filter(
      (status) => ![201, 204, 404, 409, 503].includes(status),
    );
    assert.deepEqual(refused, [], 'people are asked to try again');
    const log = await wholeLog(service.origin, crowd);
    t.diagnostic(reportOf({ log, given, watcher }));
    requireOneLine(requireOneHistory(log, watcher.notes));
    const port = (await readFile(pidFile, 'utf8')).split('\n')[3]!;
    const databaseUrl = Object.assign(new URL(url), { port }).href;
    await requireLeaves(databaseUrl, log, given);
    await assertVerified(databaseUrl);
    assert.equal(await service.end('SIGTERM'), 0, service.output());
  },
);

async function createFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'petitions-log-'));
  // PostgreSQL runs as another user if the tests run as root.
  await chmod(path, 0o755);
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Waits for the moment of a kill: in every other round, while files of the log are written. */
async function momentOf(round: number, dataDir: string): Promise<void> {
  if (round % 2 === 1) {
    await pause(Math.random() * 1500);
    return;
  }
  for await (const _ of watch(join(dataDir, 'media/log'), { recursive: true })) break;
  await pause(Math.random() * 20);
}

const sizeOf = async (origin: string): Promise<number> =>
  fetch(`${origin}/log/checkpoint`).then(
    async (answer) => (answer.ok ? Number((await answer.text()).split('\n')[1]) : 0),
    () => 0,
  );

/** Waits until the published log has more entries than now. */
async function growth(origin: string): Promise<void> {
  const before = await sizeOf(origin);
  await eventually(async () => (await sizeOf(origin)) > before, 30_000, 100);
}

/** Waits until the log has all that counts. Returns it. */
async function wholeLog(origin: string, { petitions }: Crowd): Promise<VerifiedLog> {
  let log: VerifiedLog | undefined;
  let differences: unknown[] = [];
  await eventually(
    async () => {
      const counts = await Promise.all(
        petitions.map(async ({ id }) => {
          const answer = await fetch(`${origin}/v1/petitions/${id}`);
          const { data } = (await answer.json()) as {
            data: { log_id: string; signature_count: number };
          };
          return data;
        }),
      );
      log = await readLog({ origin });
      const sums = recount(log.entries);
      differences = counts.filter(
        ({ log_id: logId, signature_count: count }) => sums.get(logId)?.counted !== count,
      );
      return differences.length === 0;
    },
    30_000,
    500,
  ).catch((error: unknown) => assert.fail(`${String(error)} ${JSON.stringify(differences)}`));
  return log!;
}

/** Asserts that the log only grew, as it was seen by one reader. */
function requireOneLine(checkpoints: readonly { size: number }[]): void {
  const sizes = checkpoints.map(({ size }) => size);
  assert.deepEqual(
    sizes,
    sizes.toSorted((one, other) => one - other),
  );
}

/**
 * Asserts that each counted signature has one `sign` entry in force, and no other entry is: the database opens the
 * commitment of each.
 */
async function requireLeaves(
  databaseUrl: string,
  { entries }: VerifiedLog,
  { known }: Given,
): Promise<void> {
  const inForce = new Set<number>();
  for (const [index, entry] of entries.entries()) {
    if (entry.type === 'sign') inForce.add(index);
    if (entry.type === 'undo') inForce.delete(entry.leaf);
    if (entry.type === 'restore') inForce.add(entry.leaf);
  }
  await using reader = openTestPool(databaseUrl);
  const counted = await reader.db<
    {
      id: string;
      petition_id: string;
      user_id: string;
      version: number;
      leaf: string;
      log_id: string;
      random: Buffer;
    }[]
  >`
    select s.id, s.petition_id, s.user_id, s.version, l.leaf, p.log_id, o.random
    from signatures s join petitions p on p.id = s.petition_id
    join transparency_leaves l on l.signature_id = s.id
    join transparency_openings o on o.leaf = l.leaf
    where s.state = 'counted'`;
  const total = await reader.db.value<number>`
    select count(*)::int from signatures where state = 'counted'`;
  assert.equal(counted.length, total, 'each has an entry that can be opened');
  for (const { id: signatureId, version, leaf, log_id: logId, random } of counted) {
    const entry = entries[Number(leaf)]!;
    assert.ok(entry.type === 'sign');
    assert.equal(entry.commitment, commitmentOf({ logId, version, signatureId, random }));
    assert.ok(inForce.delete(Number(leaf)), `the entry ${leaf} is in force, once`);
  }
  assert.equal(inForce.size, 0, 'no other entry is in force');

  const stored = new Set(
    counted.map(({ petition_id: petitionId, user_id: userId }) => givenKey(petitionId, userId)),
  );
  for (const [key, state] of known) {
    if (state !== 'unknown') assert.equal(stored.has(key), state === 'counts', `${key} ${state}`);
  }
}

const reportOf = ({
  log,
  given,
  watcher,
}: {
  log: VerifiedLog;
  given: Given;
  watcher: CheckpointWatcher;
}): string =>
  `${log.checkpoint.size} entries, ${watcher.notes.length} checkpoints seen; answers: ${JSON.stringify(Object.fromEntries(given.statuses))}`;
