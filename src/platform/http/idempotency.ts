import { createHash } from 'node:crypto';
import { withinTransaction } from '../cache.ts';
import type { Context } from '../context.ts';
import { transaction, type Pool, type Tx } from '../db.ts';
import { conflict, invalidRequest, invalidValue } from '../problems.ts';

export interface StoredAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface IdempotentRequest {
  userId: string;
  /** Method and path. */
  operation: string;
  key: string;
  body: unknown;
  /** Waits for the first one while it is under way, as people do who have pressed a button twice. */
  waitsForFirst?: boolean;
  /** Done before the transaction is opened: see `beforeTransaction` of routes. */
  beforeTransaction?: (() => Promise<void>) | undefined;
}

/**
 * Does the work once for each Idempotency-Key of a caller and path, and keeps the answer for 24 hours
 * (draft-ietf-httpapi-idempotency-key-header). The work runs in one transaction with the note that it
 * was done, so a crash leaves both or neither (but for signing, whose group commits by itself); a failure leaves no note, and may be tried again.
 * @throws {Problem} conflict while the first is under way, unless it waits; validation-failed for another body
 */
export const runIdempotent = (
  ctx: Context,
  request: IdempotentRequest,
  work: (ctx: Context) => Promise<StoredAnswer>,
): Promise<StoredAnswer> =>
  inTurn(ctx.pools.idempotent, request.userId, () => answerOnce(ctx, request, work));

/** Of the connections, which each such request holds to its end, so many are one caller's at most. */
const mostOfOneCaller = 3;

interface Turns {
  taken: number;
  waiting: (() => void)[];
}
const turns = new WeakMap<Pool, Map<string, Turns>>();

/** Does the work as soon as its caller has a turn, so that nobody's slow requests hold up those of others. */
async function inTurn<T>(pool: Pool, userId: string, work: () => Promise<T>): Promise<T> {
  const ofAll = turns.get(pool) ?? new Map<string, Turns>();
  turns.set(pool, ofAll);
  const own = ofAll.get(userId) ?? { taken: 0, waiting: [] };
  ofAll.set(userId, own);
  if (own.taken < mostOfOneCaller) own.taken += 1;
  else await new Promise<void>((resolve) => own.waiting.push(resolve));
  try {
    return await work();
  } finally {
    // Whoever waits takes the turn over.
    const next = own.waiting.shift();
    if (next) next();
    else if (--own.taken === 0) ofAll.delete(userId);
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
  const keyHash = keys.hash('idempotency', request.userId, request.operation, request.key);
  const requestHash = createHash('sha256')
    .update(JSON.stringify(request.body ?? null))
    .digest();
  const salt = `${request.userId} ${request.key}`;
  if (request.beforeTransaction)
    await settle(ctx, { keyHash, requestHash }, request.beforeTransaction);

  const later: (() => Promise<void>)[] = [];
  const afterCommit = async (done: () => Promise<void>) => void later.push(done);
  const { cache, commit } = withinTransaction(ctx.cache);
  const answer = await transaction(ctx.pools.idempotent, async (tx) => {
    if (!(await lock(tx, keyHash, request.waitsForFirst))) throw underWay();
    const [kept] = await tx`
      select request_hash, answer from idempotency_keys
      where key_hash = ${keyHash} and created_at > now() - interval '24 hours'`;
    if (kept) {
      if (!requestHash.equals(kept.request_hash)) throw reusedKey();
      return JSON.parse(keys.unseal('idempotency', kept.answer, salt)) as StoredAnswer;
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
  for (const done of later) await done();
  return answer;
}

/**
 * Does once for a key and a body what goes ahead of the transaction, unless the answer is known already. It
 * holds no connection meanwhile; a note says that it is under way, and later that it is done. The note of
 * who was killed half-way counts for some seconds.
 */
async function settle(
  { pools: { main } }: Context,
  { keyHash, requestHash }: { keyHash: Buffer; requestHash: Buffer },
  work: () => Promise<void>,
): Promise<void> {
  const [kept] = await main`
    select from idempotency_keys
    where key_hash = ${keyHash} and created_at > now() - interval '24 hours'`;
  if (kept) return;
  const id = createHash('sha256').update(keyHash).update(requestHash).digest();
  const [begun] = await main`
    insert into settled_ahead (id) values (${id})
    on conflict (id) do update set begun_at = now()
      where not settled_ahead.is_settled
        and settled_ahead.begun_at < now() - interval '15 seconds'
    returning id`;
  if (!begun) {
    const [other] = await main`select is_settled from settled_ahead where id = ${id}`;
    if (other?.is_settled) return;
    throw underWay();
  }
  try {
    await work();
  } catch (error) {
    await main`delete from settled_ahead where id = ${id}`;
    throw error;
  }
  await main`update settled_ahead set is_settled = true where id = ${id}`;
}

async function lock(tx: Tx, keyHash: Buffer, waits = false): Promise<boolean> {
  const id = keyHash.readBigInt64BE().toString();
  const [row] = waits
    ? await tx`select true as taken from pg_advisory_xact_lock(${id}::bigint)`
    : await tx`select pg_try_advisory_xact_lock(${id}::bigint) as taken`;
  return row!.taken;
}

const underWay = () =>
  conflict(
    'idempotency_key_in_use',
    'A request with this Idempotency-Key is still under way. Try again in a moment.',
  );

const reusedKey = () =>
  invalidValue(
    'Idempotency-Key',
    'This key was used with another body. Use a new key for a new request.',
  );

/** Forgets answers older than 24 hours. */
export async function forgetOldAnswers({ db }: Context): Promise<void> {
  await db`delete from idempotency_keys where created_at < now() - interval '24 hours'`;
  await db`delete from settled_ahead where begun_at < now() - interval '24 hours'`;
}
