import { Histogram } from 'prom-client';
import type { Context } from '../../platform/context.ts';
import { againAfterDeadlock, isConnectionError, withDeadline } from '../../platform/db.ts';
import { unavailable } from '../../platform/problems.ts';
import { forgetPetitions } from '../petitions/petitions.ts';
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

/** Largest group; a statement of this size runs for some 20 ms. */
const groupSize = 256;
/** Longest time that the database may take for a group; requests wait for twice that at the most. */
const groupTimeoutMs = 3000;
/** Requests that may wait in one lane before new ones are turned away, some seconds' worth. */
const maxQueueLength = 20_000;
/** Petitions are spread over lanes: one that is held up does not hold up the others. */
const queueCount = 4;

/**
 * Commits waiting signatures together. While a group is being stored, those that arrive wait and form
 * the next one, so the busier it is, the more share one statement and one commit, and a single
 * signature on a quiet day waits for nobody (group commit, as databases do it with their logs).
 */
export class SignatureWriter {
  #lanes: GroupQueue[] = Array.from({ length: queueCount }, () => ({ waiting: [], busy: false }));
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
   * Stores a signature; settles once it is committed.
   * @throws {Problem} unavailable where too many wait, or the database does not answer
   */
  sign(request: SignatureRequest): Promise<SignatureOutcome> {
    const lane = this.#lanes[Number.parseInt(request.petitionId.slice(-4), 16) % queueCount]!;
    if (lane.waiting.length >= maxQueueLength) {
      throw unavailable('More people are signing than can be served. Try again in a moment.');
    }
    return new Promise((resolve, reject) => {
      lane.waiting.push({ request, resolve, reject });
      if (!lane.busy) void this.#drain(lane);
    });
  }

  async #drain(lane: GroupQueue): Promise<void> {
    lane.busy = true;
    while (lane.waiting.length > 0) await this.#store(lane, lane.waiting.splice(0, groupSize));
    lane.busy = false;
  }

  async #store(lane: GroupQueue, group: Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#insert(group.map(({ request }) => request));
      group.forEach(({ resolve }, index) => resolve(outcomes[index]!));
    } catch (error) {
      if (isConnectionError(error)) {
        // Those who came meanwhile would wait as long once more.
        for (const { reject } of [...group, ...lane.waiting.splice(0)]) reject(error);
        return;
      }
      if (group.length === 1) {
        group[0]!.reject(error);
        return;
      }
      // A group is stored whole or not at all. One request that the database refuses, or a deadlock,
      // must not take the others with it.
      this.#ctx.log.warn({ err: error, size: group.length }, 'a group is stored one by one');
      for (const one of group) await this.#store(lane, [one]);
    }
  }

  async #insert(requests: SignatureRequest[]): Promise<SignatureOutcome[]> {
    const { pools, config } = this.#ctx;
    this.#groupSizes.observe(requests.length);
    const requireVerified = config.signaturePolicy === 'verified';
    const outcomes = await againAfterDeadlock(() =>
      withDeadline(groupTimeoutMs, () => insertGroup(pools.signing, requests, requireVerified)),
    );
    forgetPetitions(this.#ctx, new Set(requests.map(({ petitionId }) => petitionId)));
    return outcomes;
  }
}
