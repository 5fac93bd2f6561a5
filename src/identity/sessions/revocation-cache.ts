import type { Context } from '../../platform/context.ts';
import type { UserRole } from '../../platform/http/route.ts';
import { PeriodicReader } from '../../platform/periodic-reader.ts';
import * as queries from './queries.ts';

const readIntervalMs = 400;
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
  #reader: PeriodicReader;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#reader = new PeriodicReader({
      log: ctx.log,
      subject: 'revoked tokens',
      intervalMs: readIntervalMs,
      // After a failure, reads everything: changes can be older than `lookBackSeconds`.
      read: (afterFailure) => this.#read(afterFailure ? undefined : lookBackSeconds),
    });
  }

  async start(): Promise<void> {
    await this.#reader.refresh(() => this.#read(undefined));
    this.#reader.start();
  }

  stop(): void {
    this.#reader.stop();
  }

  /** Reads recent changes now, after this process has made one. */
  refresh(): Promise<void> {
    return this.#reader.refresh();
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

  async #read(lastSeconds: number | undefined): Promise<void> {
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
