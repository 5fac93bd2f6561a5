import { createHash } from 'node:crypto';
import { withinTransaction } from '../cache.ts';
import type { Context } from '../context.ts';
import { transaction, type Pool, type Tx } from '../db.ts';
import { conflict, invalidRequest, Problem } from '../problems.ts';
import { retentionInterval } from '../retention.ts';

export interface StoredAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface IdempotentRequest {
  userId: string;
  /** Of the request. A repeated answer has the id of the call that repeats it. */
  requestId?: string;
  /** Method and path. */
  operation: string;
  key: string;
  body: unknown;
  /** Waits for the first request instead of failing with a conflict: for buttons that are pressed twice. */
  waitsForFirst?: boolean;
  /** Runs before the transaction is opened: see `beforeTransaction` of routes. */
  beforeTransaction?: (() => Promise<void>) | undefined;
}

/**
 * Does the work once for each Idempotency-Key of a caller and path, and stores the answer for 24 hours
 * (draft-ietf-httpapi-idempotency-key-header). Work and answer are stored in one transaction, so a crash leaves both or
 * neither; signatures are the exception, since their group commits by itself. A failure stores nothing and may be
 * retried.
 * @throws {Problem} conflict while the first request is in progress, unless it waits; validation-failed for another
 *   body
 */
export const runIdempotent = (
  ctx: Context,
  request: IdempotentRequest,
  work: (ctx: Context) => Promise<StoredAnswer>,
): Promise<StoredAnswer> =>
  withSlot(ctx.pools.idempotent, request.userId, () => answerOnce(ctx, request, work));

/** Each such request holds a connection until it ends. */
const maxConnectionsPerCaller = 3;

interface Slots {
  taken: number;
  waiting: (() => void)[];
}
const slotsOfPools = new WeakMap<Pool, Map<string, Slots>>();

/** Does the work once its caller has a free slot, so that slow requests of one caller do not block others. */
async function withSlot<T>(pool: Pool, userId: string, work: () => Promise<T>): Promise<T> {
  const slotsOfCallers = slotsOfPools.get(pool) ?? new Map<string, Slots>();
  slotsOfPools.set(pool, slotsOfCallers);
  const own = slotsOfCallers.get(userId) ?? { taken: 0, waiting: [] };
  slotsOfCallers.set(userId, own);
  if (own.taken < maxConnectionsPerCaller) own.taken += 1;
  else await new Promise<void>((resolve) => own.waiting.push(resolve));
  try {
    return await work();
  } finally {
    // The next request takes over the slot.
    const next = own.waiting.shift();
    if (next) next();
    else if (--own.taken === 0) slotsOfCallers.delete(userId);
  }
}

async function answerOnce(
  ctx: Context,
  request: IdempotentRequest,
  work: (ctx: Context) => Promise<StoredAnswer>,
): Promise<StoredAnswer> {
  const { keys } = ctx;
  if (request.key.length > 255) {
    throw invalidRequest('An Idempotency-Key has 1 to 255 characters.');
  }
  if (request.key.trim() === '') throw emptyKey();
  const keyHash = keys.hash('idempotency', request.userId, request.operation, request.key);
  const requestHash = createHash('sha256')
    .update(JSON.stringify(request.body ?? null))
    .digest();
  const salt = `${request.userId} ${request.key}`;
  if (request.beforeTransaction) {
    await runOnceBefore(ctx, { keyHash, requestHash }, request.beforeTransaction);
  }

  const afterwards: (() => Promise<void>)[] = [];
  const afterCommit = async (step: () => Promise<void>) => void afterwards.push(step);
  const { cache, commit } = withinTransaction(ctx.cache);
  const answer = await transaction(ctx.pools.idempotent, async (tx) => {
    if (!(await lock(tx, keyHash, request.waitsForFirst))) throw inProgress();
    const stored = await tx.first`
      select request_hash, answer from idempotency_keys
      where key_hash = ${keyHash} and created_at > now() - ${retentionInterval('request_answers')}::interval`;
    if (stored) {
      if (!requestHash.equals(stored.request_hash)) throw reusedKey();
      const first = JSON.parse(keys.unseal('idempotency', stored.answer, salt)) as StoredAnswer;
      return replayed(first, request.requestId);
    }
    const done = await work({ ...ctx, db: tx, cache, afterCommit });
    await tx`
      insert into idempotency_keys (key_hash, request_hash, answer)
      values (${keyHash}, ${requestHash},
        ${keys.seal('idempotency', JSON.stringify(done), salt)})
      on conflict (key_hash) do update set request_hash = excluded.request_hash,
        answer = excluded.answer, created_at = now()`;
    return done;
  });
  commit();
  for (const step of afterwards) await step();
  return answer;
}

/**
 * Runs `beforeTransaction` once for a key and a body, unless the answer is stored already. It holds no connection
 * meanwhile: a row says that it is in progress, and later that it is done. The row of a killed process expires after
 * 15 seconds.
 */
async function runOnceBefore(
  { pools: { main } }: Context,
  { keyHash, requestHash }: { keyHash: Buffer; requestHash: Buffer },
  work: () => Promise<void>,
): Promise<void> {
  const [stored] = await main`
    select from idempotency_keys
    where key_hash = ${keyHash} and created_at > now() - ${retentionInterval('request_answers')}::interval`;
  if (stored) return;
  const id = createHash('sha256').update(keyHash).update(requestHash).digest();
  const [begun] = await main`
    insert into idempotent_checks (id) values (${id})
    on conflict (id) do update set begun_at = now()
      where not idempotent_checks.is_done
        and idempotent_checks.begun_at < now() - interval '15 seconds'
    returning id`;
  if (!begun) {
    const [other] = await main`select is_done from idempotent_checks where id = ${id}`;
    if (other?.is_done) return;
    throw inProgress();
  }
  try {
    await work();
  } catch (error) {
    await main`delete from idempotent_checks where id = ${id}`;
    throw error;
  }
  await main`update idempotent_checks set is_done = true where id = ${id}`;
}

async function lock(tx: Tx, keyHash: Buffer, waits = false): Promise<boolean> {
  const id = keyHash.readBigInt64BE().toString();
  const [row] = waits
    ? await tx`select true as taken from pg_advisory_xact_lock(${id}::bigint)`
    : await tx`select pg_try_advisory_xact_lock(${id}::bigint) as taken`;
  return row!.taken;
}

const inProgress = () =>
  conflict(
    'idempotency_key_in_use',
    'A request with this Idempotency-Key is still under way. Try again in a moment.',
  );

/** An answer as it was, with the id of this request, by which its log lines are found. */
function replayed(
  { status, headers, body }: StoredAnswer,
  requestId: string | undefined,
): StoredAnswer {
  return {
    status,
    headers: { ...headers, 'idempotent-replayed': 'true' },
    body: requestId === undefined || body === '' ? body : withRequestId(body, requestId),
  };
}

function withRequestId(body: string, requestId: string): string {
  const answer = JSON.parse(body) as { meta?: { request_id: string } };
  if (answer.meta) answer.meta.request_id = requestId;
  return JSON.stringify(answer);
}

const emptyKey = () =>
  new Problem(
    'invalid-request',
    'The Idempotency-Key is empty. Send 1 to 255 characters, or no such header.',
    {
      code: 'idempotency_key_required',
    },
  );

const reusedKey = () => {
  const message = 'This key was used with another body. Use a new key for a new request.';
  const errors = [{ field: 'Idempotency-Key', message, code: 'invalid_value' as const }];
  return new Problem('validation-failed', message, { code: 'idempotency_key_reused', errors });
};

/** Deletes old answers. */
export async function forgetOldAnswers({ db }: Context): Promise<void> {
  await db`delete from idempotency_keys where created_at < now() - ${retentionInterval('request_answers')}::interval`;
  await db`delete from idempotent_checks where begun_at < now() - ${retentionInterval('request_answers')}::interval`;
}
