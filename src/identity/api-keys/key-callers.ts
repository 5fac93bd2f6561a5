import type { IncomingHttpHeaders } from 'node:http';
import { createCache, type Cache } from '../../platform/cache.ts';
import type { Context } from '../../platform/context.ts';
import { deprecatedKeyHeader } from '../../platform/http/headers.ts';
import { keyLevels, type Caller } from '../../platform/http/route.ts';
import { PeriodicWriter } from '../../platform/periodic-writer.ts';
import { unauthorized } from '../../platform/problems.ts';
import { accountSuspended } from '../sessions/sessions.ts';
import { isKeyText } from './key-text.ts';
import { findByHash, recordUses, type PresentedKey } from './queries.ts';

/** Returns the API key of a request, if any: from its bearer token, or else from the older header. */
export function presentedKey(headers: IncomingHttpHeaders): string | undefined {
  return (
    /^Bearer +(svc_.*)$/i.exec(headers.authorization ?? '')?.[1] ?? deprecatedKeyHeader(headers)
  );
}

/**
 * How long a look-up is cached. A busy key costs two queries a second, and a key that is revoked (deletion,
 * rotation, lost role, suspension) is rejected within a second on every process.
 */
const lookUpMs = 500;
const group = 'api-keys';

/** Authenticates callers by API keys. */
export class KeyCallers {
  readonly lastUses: LastUses;
  #ctx: Context;
  #lookUps: Cache = createCache({ ttlMs: lookUpMs });

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.lastUses = new LastUses(ctx);
  }

  /**
   * Returns the caller of a key.
   * @throws {Problem} unauthorized with the reason if it is invalid; forbidden if the account is suspended
   */
  async callerOf(text: string): Promise<Caller> {
    this.#requireForm(text);
    const now = this.#ctx.now();
    const key = requireValid(await this.#lookUp(text), now);
    if (key.environment === 'test' && this.#ctx.config.production) {
      throw unauthorized('This is a test key, which does not work here: use a live key.');
    }
    if (key.suspended) throw accountSuspended();
    this.lastUses.record(key.id, now);
    const level = keyLevels.findLast((one) => key.scopes.includes(one))!;
    return {
      userId: key.user_id,
      role: level === 'full' ? key.role : 'user',
      sessionId: key.id,
      tokenId: key.id,
      expiresAt: endOf(key),
      credential: {
        kind: 'api_key',
        keyId: key.id,
        level,
        orgId: key.org_id,
      },
    };
  }

  /** Drops all cached look-ups after a change of a key, which is rare. */
  forget(): void {
    this.#lookUps.drop(group);
  }

  /** Rejects, without a query, texts that cannot be keys of this service. */
  #requireForm(text: string): void {
    if (!isKeyText(text)) {
      throw unauthorized('This API key is malformed: it was mistyped, or cut off.');
    }
  }

  #lookUp(text: string): Promise<PresentedKey | undefined> {
    const hash = this.#ctx.keys.hash('api-key', text);
    return this.#lookUps.read(group, hash.toString('base64url'), () =>
      findByHash(this.#ctx.pools.main, hash),
    );
  }
}

function requireValid(key: PresentedKey | undefined, now: Date): PresentedKey {
  if (!key) throw unauthorized('This API key is unknown, or was deleted.');
  if (key.replaced_until && key.replaced_until <= now) {
    throw unauthorized('This API key was replaced more than 24 hours ago. Use the new one.');
  }
  if (key.expires_at && key.expires_at <= now) {
    throw unauthorized('This API key has expired.', 'key_expired');
  }
  if (!key.may_act) {
    throw unauthorized('Who made this API key may no longer act for its organization.');
  }
  return key;
}

/** Returns when the key ends, in seconds since 1970, or Infinity. */
const endOf = ({ expires_at, replaced_until }: PresentedKey): number =>
  Math.min(...[expires_at, replaced_until].map((end) => (end ? end.getTime() / 1000 : Infinity)));

/** Collects when keys were last used, and stores it in one statement a minute. */
export class LastUses {
  readonly writer: PeriodicWriter;
  #ctx: Context;
  #unwritten = new Map<string, Date>();

  constructor(ctx: Context, intervalMs = 60_000) {
    this.#ctx = ctx;
    this.writer = new PeriodicWriter(intervalMs, () => this.#write());
  }

  record(keyId: string, at: Date): void {
    this.#unwritten.set(keyId, at);
  }

  /** Returns the key's last use if this process has not stored it yet. */
  unwritten(keyId: string): Date | undefined {
    return this.#unwritten.get(keyId);
  }

  async #write(): Promise<void> {
    const uses = [...this.#unwritten];
    if (uses.length === 0) return;
    try {
      await recordUses(this.#ctx.pools.main, uses);
    } catch (error) {
      this.#ctx.log.warn({ err: error }, 'could not store the last uses of API keys; will retry');
      return;
    }
    for (const [id, at] of uses) {
      if (this.#unwritten.get(id) === at) this.#unwritten.delete(id);
    }
  }
}
