import { errors, jwtVerify, SignJWT, type JWTPayload } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../platform/context.ts';
import type { Caller, Credential, OAuthScope } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { unauthorized } from '../../platform/problems.ts';
import type { UserRow } from '../accounts/accounts.ts';
import { oauthScopes } from '../oauth/schema.ts';
import type { SigningKeys } from './signing-keys.ts';

/** Seconds for which an access token counts. */
export const accessTokenLifetime = 3600;

/** What an access token says of its bearer. */
export type AccessClaims = Omit<Caller, 'role'>;

/** The application that a token is made for, and what it may do with it. */
export interface TokenGrant {
  clientId: string;
  scopes: readonly OAuthScope[];
}

/** Makes and verifies the service's JWTs (RFC 7519; access tokens by RFC 9068). */
export class Tokens {
  #ctx: Context;
  #keys: SigningKeys;
  // A client sends one token many times; its signature is looked at once.
  #verified = new LRUCache<string, AccessClaims>({ max: 20_000 });

  constructor(ctx: Context, keys: SigningKeys) {
    this.#ctx = ctx;
    this.#keys = keys;
  }

  /** A token of a login, or of an OAuth grant where one is given. */
  issueAccessToken(userId: string, sessionId: string, grant?: TokenGrant): Promise<string> {
    const claims = {
      sub: userId,
      sid: sessionId,
      jti: newId(),
      ...(grant && {
        aud: this.#ctx.config.baseUrl,
        client_id: grant.clientId,
        scope: grant.scopes.join(' '),
      }),
    };
    return this.#sign(claims, 'at+jwt');
  }

  issueIdToken(user: UserRow, sessionId: string): Promise<string> {
    const claims = {
      sub: user.id,
      aud: this.#ctx.config.baseUrl,
      sid: sessionId,
      email: user.email,
      email_verified: user.email_verified_at !== null,
      name: user.display_name,
    };
    return this.#sign(claims, 'JWT');
  }

  /**
   * What an access token of ours says. Whether it was withdrawn is not asked here.
   * @throws {Problem} unauthorized, with code token_expired where that is all that is wrong
   */
  async verifyAccessToken(token: string): Promise<AccessClaims> {
    const known = this.knownAccessToken(token);
    if (known) return known;
    const payload = await this.#verify(token);
    const { sub, sid, jti, exp } = payload;
    if (!sub || !jti || !exp || typeof sid !== 'string') throw unauthorized(notOurs);
    const credential = credentialOf(payload);
    const claims = { userId: sub, sessionId: sid, tokenId: jti, expiresAt: exp, credential };
    this.#verified.set(token, claims);
    return claims;
  }

  /** The same, at once, where this process has verified the token before. */
  knownAccessToken(token: string): AccessClaims | undefined {
    const known = this.#verified.get(token);
    if (known && known.expiresAt * 1000 <= this.#ctx.now().getTime()) throw expired();
    return known;
  }

  async #sign(claims: JWTPayload, type: string): Promise<string> {
    const { kid, privateKey } = await this.#keys.current();
    const now = Math.floor(this.#ctx.now().getTime() / 1000);
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'EdDSA', kid, typ: type })
      .setIssuer(this.#ctx.config.baseUrl)
      .setIssuedAt(now)
      .setExpirationTime(now + accessTokenLifetime)
      .sign(privateKey);
  }

  async #verify(token: string): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(
        token,
        async ({ kid }) => {
          const key = await this.#keys.publicKey(kid);
          if (!key) throw new errors.JWKSNoMatchingKey();
          return key;
        },
        {
          // Our keys sign for nobody else, so the issuer, which names the port, is not asked.
          typ: 'at+jwt',
          algorithms: ['EdDSA'],
          currentDate: this.#ctx.now(),
        },
      );
      return payload;
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw expired();
      if (error instanceof errors.JOSEError) throw unauthorized(notOurs);
      throw error;
    }
  }
}

function credentialOf(payload: JWTPayload): Credential {
  const { client_id: clientId, scope = '' } = payload as { client_id?: string; scope?: string };
  if (clientId === undefined) return { kind: 'login' };
  const named = scope.split(' ');
  return { kind: 'oauth', clientId, scopes: oauthScopes.filter((one) => named.includes(one)) };
}

const notOurs = 'The access token is not valid. Log in, or refresh it.';
const expired = () =>
  unauthorized(
    'The access token has expired. Get a new one from POST /v1/auth/refresh.',
    'token_expired',
  );
