import type { Context } from '../../platform/context.ts';
import { withDeadline } from '../../platform/db.ts';
import type { UserRole } from '../../platform/http/route.ts';
import * as queries from './queries.ts';

const pollIntervalMs = 400;
const pollTimeoutMs = 2000;
/** Longer than any transaction can last (src/platform/db.ts). */
const lookBackSeconds = 60;

/**
 * Caches revocations and roles, and refreshes them more than twice a second: both apply within a second
 * on every process, without a query per request.
 */
export class RevocationCache {
  #ctx: Context;
  #revocations = new Map<string, queries.Revocation>();
  #roles = new Map<string, UserRole>();
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;
  #lastRead: Promise<void> = Promise.resolve();

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  async start(): Promise<void> {
    await this.#read(undefined);
    this.#schedule();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Reads recent changes now, after this process has made one. */
  async refresh(): Promise<void> {
    await this.#read(lookBackSeconds);
  }

  /** Returns why credentials with any of these ids are rejected, or undefined if they are valid. */
  revocationOf(...ids: string[]): 'ended' | 'suspended' | undefined {
    for (const id of ids) {
      const reason = this.#revocations.get(id)?.reason;
      if (reason === 'ended' || reason === 'suspended') return reason;
    }
    return undefined;
  }

  roleOf(userId: string): UserRole {
    return this.#roles.get(userId) ?? 'user';
  }

  #schedule(): void {
    this.#timer = setTimeout(() => void this.#poll(), pollIntervalMs);
  }

  async #poll(): Promise<void> {
    try {
      // After a failure, reads everything: changes can be older than `lookBackSeconds`.
      const lastSeconds = this.#isFailing ? undefined : lookBackSeconds;
      await withDeadline(pollTimeoutMs, () => this.#read(lastSeconds));
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) {
        this.#ctx.log.error({ err: error }, 'could not read revoked tokens; will retry');
      }
      this.#isFailing = true;
    }
    if (this.#timer) this.#schedule();
  }

  /** Reads one after the other, so that an earlier result does not replace a newer one. */
  #read(lastSeconds: number | undefined): Promise<void> {
    const reading = this.#lastRead.then(() => this.#readNow(lastSeconds));
    this.#lastRead = reading.catch(() => undefined);
    return reading;
  }

  async #readNow(lastSeconds: number | undefined): Promise<void> {
    const db = this.#ctx.pools.main;
    const [revocations, roles] = await Promise.all([
      queries.readRevocations(db, lastSeconds),
      queries.usersWithRole(db),
    ]);
    for (const revocation of revocations) this.#revocations.set(revocation.id, revocation);
    const now = this.#ctx.now();
    for (const [id, { expires_at }] of this.#revocations) {
      // Entries are nearly in the order of their expiry: stops at the first one that is valid.
      if (expires_at > now) break;
      this.#revocations.delete(id);
    }
    this.#roles = new Map(roles.map(({ id, role }) => [id, role]));
  }
}
