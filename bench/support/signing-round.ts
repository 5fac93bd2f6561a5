import assert from 'node:assert/strict';
import type { Pool } from '../../src/platform/db.ts';
import type { Child } from './child.ts';
import { toBytes } from './http.ts';
import type { LoadProcess, LoadResult } from './load.ts';
import { createPetition, type Signer } from './people.ts';
import { startService } from './start-service.ts';

/** Clients of concurrent signing. */
const connections = 128;

export interface Stage {
  databaseUrl: string;
  db: Pool;
  load: Child<LoadProcess>;
  /** Signers of the measured petition. */
  signers: Signer[];
  /** Signers of another petition, for the warm-up. */
  warmUp: Signer[];
  /** Body of the nth signer, instead of the default. */
  bodyOf?: (n: number) => string;
}

export interface SigningRound extends LoadResult {
  /** Resident bytes: before, peak, after. */
  memory: { before: number; peak: number; after: number; heap: number };
  /** Number of stored groups; 0 with one transaction for each signature. */
  groups: number;
}

let petitions = 0;

/**
 * Runs one round: a new process without cached tokens, a petition without signatures, and all signers at once. Throws if
 * a count is wrong.
 */
export async function signingRound(stage: Stage, usualSigning?: number): Promise<SigningRound> {
  const { databaseUrl, db, load, signers, warmUp, bodyOf } = stage;
  await using service = await startService({ databaseUrl, ...(usualSigning && { usualSigning }) });
  const sign = async (people: Signer[]) => {
    const petition = await createPetition(db, people[0]!.id, ++petitions);
    const requests = people.map((signer, n) =>
      signingRequest(petition.slug, signer, n, bodyOf?.(n)),
    );
    const job = { port: service.port, connections, requests, collect: '"signature_count":' };
    const [result] = await load.call('putLoads', [job]);
    await checkExact(db, petition.id, result!);
    return result!;
  };
  await sign(warmUp);
  const groupsBefore = await groupsStored(service.port);
  const before = await service.process.call('watchMemory');
  const result = await sign(signers);
  const memory = await service.process.call('memory');
  const groups = (await groupsStored(service.port)) - groupsBefore;
  return { ...result, memory: { before, ...memory }, groups };
}

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

/** Checks that every signature is stored and answered with a distinct count. */
async function checkExact(db: Pool, petitionId: string, result: LoadResult): Promise<void> {
  const { answers, statuses, collected } = result;
  assert.deepEqual(statuses, { 201: answers }, 'every signature is answered 201');
  const [stored] = await db`
    select signature_count as count,
      (select count(*)::integer from signatures where petition_id = p.id) as rows,
      (select count(*)::integer from milestones where petition_id = p.id) as milestones,
      (select count(*)::integer from events where petition_id = p.id) as events
    from petitions p where id = ${petitionId}`;
  assert.equal(stored!.count, answers, 'the count is exact');
  assert.equal(stored!.rows, answers, 'there is a row for each');
  assert.equal(stored!.events, answers + stored!.milestones, 'each has an event');
  const counts = collected.toSorted();
  assert.ok(
    counts.every((count, index) => count === index + 1),
    'the counts answered are 1 to N, each once',
  );
}

/** Reads the number of stored groups from the metrics of the process. */
async function groupsStored(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^signature_group_size_count (.*)$/m.exec(text)?.[1] ?? 0);
}
