import type { Context } from '../../platform/context.ts';
import { withDeadline } from '../../platform/db.ts';
import type { UserRole } from '../../platform/http/route.ts';
import * as queries from './queries.ts';

const pollMilliseconds = 400;
const pollTimeoutMs = 2000;
/** Each poll looks back further than any transaction can last (src/platform/db.ts). */
const lookBackSeconds = 60;

/**
 * Caches revoked tokens and the roles of users, and refreshes both more than twice a second: a revoked token is refused,
 * and a role applies, within a second on every process, and no request waits for the database to find out.
 */
export class RevocationCache {
  #ctx: Context;
  #withdrawn = new Map<string, queries.WithdrawnCredential>();
  #roles = new Map<string, UserRole>();
  #timer: NodeJS.Timeout | undefined;
  #failing = false;
  #last: Promise<void> = Promise.resolve();

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

  /** Reads at once what this process has just changed. */
  async refresh(): Promise<void> {
    await this.#read(lookBackSeconds);
  }

  /** Why credentials with any of these ids are refused; undefined where they are valid. */
  revocationOf(...ids: string[]): 'ended' | 'suspended' | undefined {
    for (const id of ids) {
      const reason = this.#withdrawn.get(id)?.reason;
      if (reason === 'ended' || reason === 'suspended') return reason;
    }
    return undefined;
  }

  roleOf(userId: string): UserRole {
    return this.#roles.get(userId) ?? 'user';
  }

  #schedule(): void {
    this.#timer = setTimeout(() => void this.#poll(), pollMilliseconds);
  }

  async #poll(): Promise<void> {
    try {
      // After a failure more than the usual span may have been missed.
      const span = this.#failing ? undefined : lookBackSeconds;
      await withDeadline(pollTimeoutMs, () => this.#read(span));
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) this.#ctx.log.error({ err: error }, 'revoked tokens cannot be read');
      this.#failing = true;
    }
    if (this.#timer) this.#schedule();
  }

  /** One reading after the other: what an earlier one has found must not replace what is newer. */
  #read(lastSeconds: number | undefined): Promise<void> {
    const reading = this.#last.then(() => this.#readNow(lastSeconds));
    this.#last = reading.catch(() => undefined);
    return reading;
  }

  async #readNow(lastSeconds: number | undefined): Promise<void> {
    const db = this.#ctx.pools.main;
    const [withdrawn, roles] = await Promise.all([
      queries.withdrawnCredentials(db, lastSeconds),
      queries.usersWithARole(db),
    ]);
    for (const credential of withdrawn) this.#withdrawn.set(credential.id, credential);
    const now = this.#ctx.now();
    for (const [id, { expires_at }] of this.#withdrawn) {
      // Entries are added in the order of their ends, nearly: the first that still counts ends it.
      if (expires_at > now) break;
      this.#withdrawn.delete(id);
    }
    this.#roles = new Map(roles.map(({ id, role }) => [id, role]));
  }
}
