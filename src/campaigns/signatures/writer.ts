import { Histogram } from 'prom-client';
import type { Context } from '../../platform/context.ts';
import { retryOnDeadlock, isDatabaseUnavailable, withDeadline } from '../../platform/db.ts';
import { unavailable } from '../../platform/problems.ts';
import { evictPetitions } from '../petitions/cache.ts';
import { insertGroup, type SignatureOutcome, type SignatureRequest } from './queries.ts';

interface Waiting {
  request: SignatureRequest;
  resolve: (outcome: SignatureOutcome) => void;
  reject: (error: unknown) => void;
}

interface GroupQueue {
  waiting: Waiting[];
  busy: boolean;
}

/** A statement of this size takes about 20 ms. */
const maxGroupSize = 256;
/** Time limit of a group in the database. Requests wait for at most twice that time. */
const groupTimeoutMs = 3000;
/** Requests that may wait in one queue, a few seconds' worth, before new ones are rejected. */
const maxQueueLength = 20_000;
/** Petitions are distributed over queues, so that one with a long lock delays only its own queue. */
const queueCount = 4;

/**
 * Stores waiting signatures as groups (group commit). Signatures that arrive while a group is being stored
 * form the next group. Under load many share one statement and one commit; a single signature does not
 * wait.
 */
export class SignatureWriter {
  #queues: GroupQueue[] = Array.from({ length: queueCount }, () => ({ waiting: [], busy: false }));
  #ctx: Context;
  #groupSizes: Histogram;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#groupSizes = new Histogram({
      name: 'signature_group_size',
      help: 'Signatures stored by one statement',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
      registers: [ctx.metrics],
    });
  }

  /**
   * Stores a signature. Settles after the commit.
   * @throws {Problem} unavailable if the queue is full or the database does not answer
   */
  sign(request: SignatureRequest): Promise<SignatureOutcome> {
    const queue = this.#queues[Number.parseInt(request.petitionId.slice(-4), 16) % queueCount]!;
    if (queue.waiting.length >= maxQueueLength) {
      throw unavailable('More people are signing than can be served. Try again in a moment.');
    }
    return new Promise((resolve, reject) => {
      queue.waiting.push({ request, resolve, reject });
      if (!queue.busy) void this.#drain(queue);
    });
  }

  async #drain(queue: GroupQueue): Promise<void> {
    queue.busy = true;
    while (queue.waiting.length > 0)
      await this.#store(queue, queue.waiting.splice(0, maxGroupSize));
    queue.busy = false;
  }

  async #store(queue: GroupQueue, group: Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#insert(group.map(({ request }) => request));
      group.forEach(({ resolve }, index) => resolve(outcomes[index]!));
    } catch (error) {
      if (isDatabaseUnavailable(error)) {
        // Waiting requests would time out too.
        for (const { reject } of [...group, ...queue.waiting.splice(0)]) reject(error);
        return;
      }
      if (group.length === 1) {
        group[0]!.reject(error);
        return;
      }
      // One request that the database rejects, or a deadlock, must not fail the whole group.
      this.#ctx.log.warn({ err: error, size: group.length }, 'group failed; storing one by one');
      for (const entry of group) await this.#store(queue, [entry]);
    }
  }

  async #insert(requests: SignatureRequest[]): Promise<SignatureOutcome[]> {
    const { pools, config } = this.#ctx;
    this.#groupSizes.observe(requests.length);
    const requireVerified = config.signaturePolicy === 'verified';
    const outcomes = await retryOnDeadlock(() =>
      withDeadline(groupTimeoutMs, () => insertGroup(pools.signing, requests, requireVerified)),
    );
    evictPetitions(this.#ctx, new Set(requests.map(({ petitionId }) => petitionId)));
    return outcomes;
  }
}
