import type { IncomingHttpHeaders } from 'node:http';
import { createCache, type Cache } from '../../platform/cache.ts';
import type { Context } from '../../platform/context.ts';
import { olderKeyHeader } from '../../platform/http/headers.ts';
import { keyLevels, type Caller } from '../../platform/http/route.ts';
import { unauthorized } from '../../platform/problems.ts';
import { accountSuspended } from '../sessions/sessions.ts';
import { environmentFor, environmentOf, isKeyText } from './key-text.ts';
import { LastUses } from './last-uses.ts';
import { findByHash, type ShownKey } from './queries.ts';

/** The API key that a request shows, if any: as its bearer token, else in the older header. */
export function shownKey(headers: IncomingHttpHeaders): string | undefined {
  return /^Bearer +(svc_.*)$/i.exec(headers.authorization ?? '')?.[1] ?? olderKeyHeader(headers);
}

/**
 * For how long a look-up counts, in milliseconds: a busy key costs two queries a second, and whatever
 * ends a key (deletion, rotation, a role lost, an account suspended) ends it within a second on every
 * process.
 */
const lookUpMs = 500;
const group = 'api-keys';

/** Who calls by an API key. */
export class KeyCallers {
  readonly lastUses: LastUses;
  #ctx: Context;
  #lookUps: Cache = createCache({ ttlMs: lookUpMs });

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.lastUses = new LastUses(ctx);
  }

  /**
   * Whom a key stands for.
   * @throws {Problem} unauthorized where it does not count, saying why; forbidden where the account is
   *   suspended
   */
  async callerOf(text: string): Promise<Caller> {
    this.#requireForm(text);
    const now = this.#ctx.now();
    const key = requireValid(await this.#lookUp(text), now);
    if (key.suspended) throw accountSuspended();
    this.lastUses.note(key.id, now);
    return {
      userId: key.user_id,
      role: key.role,
      sessionId: key.id,
      tokenId: key.id,
      expiresAt: endOf(key),
      credential: {
        kind: 'api_key',
        keyId: key.id,
        level: keyLevels.findLast((level) => key.scopes.includes(level))!,
        orgId: key.org_id,
      },
    };
  }

  /** Forgets all look-ups, after a key was changed here: that is rare, and looking up again is cheap. */
  forget(): void {
    this.#lookUps.drop(group);
  }

  /** Sees without a look-up what can be no key of this service. */
  #requireForm(text: string): void {
    const ours = environmentFor(this.#ctx.config);
    const named = environmentOf(text);
    if (named && named !== ours) {
      throw unauthorized(`This is a ${named} key; this service takes ${ours} keys only.`);
    }
    if (!isKeyText(text)) {
      throw unauthorized('This API key is malformed: it was mistyped, or cut off.');
    }
  }

  #lookUp(text: string): Promise<ShownKey | undefined> {
    const hash = this.#ctx.keys.hash('api-key', text);
    return this.#lookUps.read(group, hash.toString('base64url'), () =>
      findByHash(this.#ctx.pools.main, hash),
    );
  }
}

function requireValid(key: ShownKey | undefined, now: Date): ShownKey {
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

/** Seconds since 1970. */
const endOf = ({ expires_at, replaced_until }: ShownKey): number =>
  Math.min(...[expires_at, replaced_until].map((end) => (end ? end.getTime() / 1000 : Infinity)));
