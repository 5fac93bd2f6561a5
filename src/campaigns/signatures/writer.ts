import { Histogram } from 'prom-client';
import type { Context } from '../../platform/context.ts';
import {
  isDatabaseUnavailable,
  retryOnDeadlock,
  transaction,
  withDeadline,
  type Db,
  type Tx,
} from '../../platform/db.ts';
import { unavailable } from '../../platform/problems.ts';
import { evictPetitions } from '../petitions/cache.ts';
import { findDomainBlocks } from '../signing-blocks/signing-blocks.ts';
import { KeyedQueue } from './keyed-queue.ts';
import { fillAccounts, fillMailboxesOfSigners, MailboxesFilled } from './mailboxes.ts';
import {
  insertGroup,
  lockPetitions,
  replaceUnproven,
  type SignatureOutcome,
  type SignatureRequest,
} from './signing-queries.ts';

interface Waiting {
  request: SignatureRequest;
  resolve: (outcome: SignatureOutcome) => void;
  reject: (error: unknown) => void;
}

/** A statement of this size takes about 20 ms. */
const maxGroupSize = 256;
/** Time limit of a group in the database. Requests wait for at most twice that time. */
const groupTimeoutMs = 3000;
/** Requests that may wait, a few seconds' worth, before new ones are rejected. */
const maxWaiting = 20_000;
/** Groups that are stored at the same time, each on a connection of the pool. */
const maxConcurrentGroups = 4;
/**
 * While a group is being stored, another one begins with this many requests, or after this time. A statement costs the
 * database as much as 6 signatures, whatever its size, so that many small groups are slower than a few large ones.
 */
const minConcurrentGroupSize = 32;
const maxDelayMs = 10;

/**
 * Stores waiting signatures as groups (group commit). Signatures that arrive while groups are being stored form the next
 * group. Under load many share one statement and one commit; a single signature does not wait. Groups that are stored at
 * the same time have no petition in common: one would wait for the locks of the other.
 */
export class SignatureWriter {
  #queue = new KeyedQueue<Waiting>();
  #groupCount = 0;
  #delay: NodeJS.Timeout | undefined;
  #ctx: Context;
  #groupSizes: Histogram;
  #filled: MailboxesFilled;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#filled = new MailboxesFilled(ctx);
    this.#groupSizes = new Histogram({
      name: 'signature_group_size',
      help: 'Signatures stored by one statement',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
      registers: [ctx.metrics],
    });
  }

  /**
   * Stores a signature. Settles after the commit.
   * @throws {Problem} unavailable if too many wait or the database does not answer
   */
  sign(request: SignatureRequest): Promise<SignatureOutcome> {
    if (this.#queue.size >= maxWaiting) {
      throw unavailable('More people are signing than can be served. Try again in a moment.');
    }
    return new Promise((resolve, reject) => {
      this.#queue.push(request.petitionId, { request, resolve, reject });
      this.#storeReady();
    });
  }

  /** Begins groups of the requests that are ready, if there are enough or they have waited. */
  #storeReady(hasWaited = false): void {
    let isDue = hasWaited;
    while (
      this.#queue.readyCount > 0 &&
      this.#groupCount < maxConcurrentGroups &&
      (isDue || this.#groupCount === 0 || this.#queue.readyCount >= minConcurrentGroupSize)
    ) {
      void this.#storeNextGroup();
      isDue = false;
    }
    if (this.#queue.readyCount > 0) {
      this.#delay ??= setTimeout(() => {
        this.#delay = undefined;
        this.#storeReady(true);
      }, maxDelayMs);
    } else {
      clearTimeout(this.#delay);
      this.#delay = undefined;
    }
  }

  async #storeNextGroup(): Promise<void> {
    const { keys, items } = this.#queue.take(maxGroupSize);
    this.#groupCount += 1;
    await this.#store(keys, items);
    this.#groupCount -= 1;
    this.#queue.release(keys);
    this.#storeReady();
  }

  async #store(petitionIds: string[], group: Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#insert(group.map(({ request }) => request));
      await this.#settle(group, outcomes);
    } catch (error) {
      if (isDatabaseUnavailable(error)) {
        // Waiting requests would time out too.
        for (const { reject } of [...group, ...this.#queue.drain(petitionIds)]) reject(error);
        return;
      }
      if (group.length === 1) {
        group[0]!.reject(error);
        return;
      }
      // One request that the database rejects, or a deadlock, must not fail the whole group.
      this.#ctx.log.warn({ err: error, size: group.length }, 'group failed; storing one by one');
      for (const waiting of group) await this.#store([waiting.request.petitionId], [waiting]);
    }
  }

  async #insert(requests: SignatureRequest[]): Promise<SignatureOutcome[]> {
    this.#groupSizes.observe(requests.length);
    const outcomes = (await this.#filled.check())
      ? await this.#attempt(() => this.#insertGroup(this.#ctx.pools.signing, requests))
      : await this.#insertUnfilled(requests);
    evictPetitions(this.#ctx, petitionsOf(requests));
    return outcomes;
  }

  /**
   * Answers the requests of a group that was committed, first those that need no other transaction. An error of such a
   * transaction fails its own request only.
   */
  async #settle(group: Waiting[], outcomes: SignatureOutcome[]): Promise<void> {
    const unsettled: [Waiting, SignatureOutcome][] = [];
    for (const [index, waiting] of group.entries()) {
      const outcome = outcomes[index]!;
      if (needsMore(outcome)) unsettled.push([waiting, outcome]);
      else waiting.resolve(outcome);
    }
    for (const [{ request, resolve, reject }, { verdict }] of unsettled) {
      try {
        const outcome = verdict === 'no_mailbox' ? await this.#insertLate(request) : undefined;
        const isTaken = (outcome?.verdict ?? verdict) === 'mailbox_has_signed';
        resolve(isTaken ? await this.#replace(request) : outcome!);
        evictPetitions(this.#ctx, [request.petitionId]);
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        reject(error);
      }
    }
  }

  async #insertGroup(db: Db, requests: SignatureRequest[]): Promise<SignatureOutcome[]> {
    return insertGroup(db, requests, {
      requireVerified: this.#ctx.site.current.signaturePolicy === 'verified',
      domainBlocks: await findDomainBlocks(this.#ctx, petitionsOf(requests)),
    });
  }

  /** Inserts while accounts and signatures of earlier versions lack mailboxes: fills in those of these signers first. */
  #insertUnfilled(requests: SignatureRequest[]): Promise<SignatureOutcome[]> {
    return this.#transaction(async (tx) => {
      await lockPetitions(tx, petitionsOf(requests));
      await fillMailboxesOfSigners(tx, this.#ctx.keys, requests);
      return this.#insertGroup(tx, requests);
    });
  }

  async #insertLate(request: SignatureRequest): Promise<SignatureOutcome> {
    const { pools, keys } = this.#ctx;
    await this.#attempt(() => fillAccounts(pools.signing, keys, [request.userId]));
    return (await this.#insertUnfilled([request]))[0]!;
  }

  /** Takes the place of an unproven signature of the mailbox. */
  #replace(request: SignatureRequest): Promise<SignatureOutcome> {
    return this.#transaction(async (tx) => {
      await lockPetitions(tx, [request.petitionId]);
      return (await replaceUnproven(tx, request)) ?? duplicate;
    });
  }

  #transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#attempt(() => transaction(this.#ctx.pools.signing, work));
  }

  #attempt<T>(work: () => Promise<T>): Promise<T> {
    return retryOnDeadlock(() => withDeadline(groupTimeoutMs, work));
  }
}

const petitionsOf = (requests: SignatureRequest[]): string[] => [
  ...new Set(requests.map(({ petitionId }) => petitionId)),
];

const needsMore = ({ verdict }: SignatureOutcome): boolean =>
  verdict === 'no_mailbox' || verdict === 'mailbox_has_signed';

const duplicate: SignatureOutcome = {
  verdict: 'duplicate',
  state: null,
  signature_count: null,
  milestone_reached: false,
};
