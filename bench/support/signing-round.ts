import assert from 'node:assert/strict';
import type { JSONWebKeySet } from 'jose';
import type { Pool } from '../../src/platform/db.ts';
import { startChild, type Child } from './child.ts';
import { toBytes } from './http.ts';
import type { LoadProcess, LoadResult } from './load.ts';
import { createPetitions, createSigners, type BenchPetition, type Signer } from './people.ts';
import type { PlainProcess } from './plain-server.ts';
import { startService } from './start-service.ts';

/** Clients that sign at the same time. */
export const connections = 64;

export interface Stage {
  databaseUrl: string;
  db: Pool;
  load: Child<LoadProcess>;
  /** Each signs once in a round. */
  signers: Signer[];
  /** Signers of the warm-up. */
  warmUp: Signer[];
}

interface StageOptions {
  signatures: number;
  warmUp: number;
}

/** Creates the signers of a benchmark, and of its warm-up. */
export async function prepareStage(
  { databaseUrl, db, load }: Pick<Stage, 'databaseUrl' | 'db' | 'load'>,
  { signatures, warmUp }: StageOptions,
): Promise<Stage> {
  const warmUpSize = Math.min(warmUp, signatures);
  const people = await createSigners(databaseUrl, db, signatures + warmUpSize);
  return {
    databaseUrl,
    db,
    load,
    warmUp: people.slice(0, warmUpSize),
    signers: people.slice(warmUpSize),
  };
}

export interface PlainStage extends Stage {
  /** The public keys of the access tokens. */
  jwks: JSONWebKeySet;
}

/** Reads the keys from a service, since the usual way has none of its own. */
export async function readPublicKeys(databaseUrl: string): Promise<JSONWebKeySet> {
  await using service = await startService({ databaseUrl });
  const answer = await fetch(`http://127.0.0.1:${service.port}/.well-known/jwks.json`);
  return (await answer.json()) as JSONWebKeySet;
}

export interface Signing {
  /** Number of petitions that are signed. */
  petitions: number;
  /** The petition that the nth of `signers` signs; by default the first. */
  choose?: (n: number) => number;
  /** Body of the nth signer, instead of the default. */
  bodyOf?: (n: number) => string;
  /** Petitions that the service or the usual way has not signed yet; by default, new ones are created. */
  created?: BenchPetition[] | undefined;
}

export interface SigningRound extends LoadResult {
  /** Resident bytes: before, peak, after. */
  memory: { before: number; peak: number; after: number; heap: number };
  /** Number of stored groups. */
  groups: number;
}

/**
 * Runs one round: a new process without cached tokens, petitions without signatures, and all signers at once. Throws if
 * a count is wrong.
 */
export async function signingRound(stage: Stage, signing: Signing): Promise<SigningRound> {
  await using service = await startService({ databaseUrl: stage.databaseUrl });
  const { port } = service;
  await signAll(stage, port, withFewer(signing, warmUpPetitions), stage.warmUp, checkExact);
  const groupsBefore = await groupsStored(port);
  const before = await service.process.call('watchMemory');
  const result = await signAll(stage, port, signing, stage.signers, checkExact);
  const memory = await service.process.call('memory');
  return {
    ...result,
    memory: { before, ...memory },
    groups: (await groupsStored(port)) - groupsBefore,
  };
}

/** As `signingRound`, signing the usual way on that number of database connections. */
export async function plainRound(
  stage: PlainStage,
  signing: Signing,
  poolSize: number,
): Promise<LoadResult> {
  const { databaseUrl, jwks } = stage;
  await using plain = startChild<PlainProcess>('./plain-server.ts');
  const { port } = await plain.call('start', { databaseUrl, connections: poolSize, jwks });
  await signAll(stage, port, withFewer(signing, warmUpPetitions), stage.warmUp, checkPlain);
  return await signAll(stage, port, signing, stage.signers, checkPlain);
}

/** The same with fewer petitions. */
export function withFewer(signing: Signing, most: number): Signing {
  const { petitions, choose = () => 0 } = signing;
  const few = Math.min(petitions, most);
  return { ...signing, petitions: few, choose: (n) => choose(n) % few, created: undefined };
}

/** Petitions of a warm-up, which compiles code and fills caches of the process. */
const warmUpPetitions = 100;

/** Creates the petitions of a round, which the service and the usual way then sign in turn. */
export const prepareRound = (
  { db, signers }: Stage,
  { petitions }: Signing,
): Promise<BenchPetition[]> =>
  createPetitions(
    db,
    signers.map(({ id }) => id),
    petitions,
  );

/** Writes changed pages before the measurement, if the role may: that of the embedded PostgreSQL may not. */
async function checkpoint(db: Pool): Promise<void> {
  const [role] = await db`select pg_has_role('pg_checkpoint', 'usage') as may_checkpoint`;
  if (role!.may_checkpoint) await db.unsafe('checkpoint');
}

/** Throws unless the number of counted signatures of each petition is this, and each is stored. */
type Check = (db: Pool, ids: string[], answered: number[]) => Promise<void>;

/** Has all signers sign at once. Throws if a count is wrong. */
export async function signAll(
  stage: Stage,
  port: number,
  signing: Signing,
  signers: Signer[],
  check: Check = checkExact,
): Promise<LoadResult> {
  const { db, load } = stage;
  const { choose = () => 0, bodyOf } = signing;
  const created = signing.created ?? (await prepareRound(stage, signing));
  await db.unsafe('vacuum analyze petitions');
  await checkpoint(db);
  const requests = signers.map((signer, n) =>
    signingRequest(created[choose(n)]!.slug, signer, n, bodyOf?.(n)),
  );
  const job = { port, connections, requests, collect: '"signature_count":' };
  const [result] = await load.call('putLoads', [job]);
  const { answers, statuses, collected } = result!;
  assert.deepEqual(statuses, { 201: answers }, 'every signature is answered 201');
  const counts: number[][] = created.map(() => []);
  signers.forEach((_, n) => counts[choose(n)]!.push(collected[n]!));
  for (const ofOne of counts) {
    const sorted = ofOne.toSorted((a, b) => a - b);
    assert.ok(
      sorted.every((count, index) => count === index + 1),
      'the counts answered for a petition are 1 to N, each once',
    );
  }
  await check(
    db,
    created.map(({ id }) => id),
    counts.map((ofOne) => ofOne.length),
  );
  return result!;
}

const checkExact: Check = async (db, ids, answered) => {
  const wrong = await db`
    select p.id, p.signature_count, wanted.n from unnest(${ids}::uuid[], ${answered}::integer[]) wanted (id, n)
    join petitions p using (id)
    where p.signature_count <> n
      or (select count(*) from signatures where petition_id = p.id) <> n
      or (select count(*) from events where petition_id = p.id and type = 'signature.created') <> n
    limit 1`;
  assert.deepEqual(
    [...wrong],
    [],
    'count, signatures and events of each petition are what was answered',
  );
};

const checkPlain: Check = async (db, ids, answered) => {
  const wrong = await db`
    select p.id, p.signature_count, wanted.n from unnest(${ids}::uuid[], ${answered}::integer[]) wanted (id, n)
    join plain.petitions p using (id)
    where p.signature_count <> n
      or (select count(*) from plain.signatures where petition_id = p.id) <> n
    limit 1`;
  assert.deepEqual([...wrong], [], 'count and signatures of each petition are what was answered');
};

/** Requests from different addresses behind the trusted proxy, to stay below the rate limits. */
export function signingRequest(
  slug: string,
  { token }: Signer,
  n: number,
  body = `{"is_anonymous":false,"comment":"I walk there every night.","display_location":"Leeds, GB"}`,
): Buffer {
  return toBytes({
    method: 'POST',
    path: `/v1/petitions/${slug}/signatures`,
    headers: {
      authorization: `Bearer ${token}`,
      'x-forwarded-for': `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`,
    },
    body,
  });
}

/** Reads the number of stored groups from the metrics of the process. */
async function groupsStored(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^signature_group_size_count (.*)$/m.exec(text)?.[1] ?? 0);
}
