import { errors, jwtVerify, SignJWT, type JWTPayload } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../platform/context.ts';
import type { Caller, Credential, OAuthScope } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { unauthorized } from '../../platform/problems.ts';
import type { UserRow } from '../accounts/accounts.ts';
import { oauthScopes } from '../oauth/schema.ts';
import type { SigningKeys } from './signing-keys.ts';

/** Lifetime of an access token in seconds. */
export const accessTokenSeconds = 3600;

/** Claims of an access token. */
export type AccessClaims = Omit<Caller, 'role'>;

/** The OAuth client that a token is issued to, and its scopes. */
export interface TokenGrant {
  clientId: string;
  scopes: readonly OAuthScope[];
}

/** Issues and verifies the service's JWTs (RFC 7519; access tokens by RFC 9068). */
export class Tokens {
  #ctx: Context;
  #keys: SigningKeys;
  // Clients send a token many times; its signature is verified once.
  #verified = new LRUCache<string, AccessClaims>({ max: 20_000 });

  constructor(ctx: Context, keys: SigningKeys) {
    this.#ctx = ctx;
    this.#keys = keys;
  }

  /** Issues a token for a login, or for an OAuth grant if one is given. */
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
   * Returns the claims of a valid access token. Does not check revocation.
   * @throws {Problem} unauthorized, with code token_expired for an otherwise valid token
   */
  async verifyAccessToken(token: string): Promise<AccessClaims> {
    const known = this.knownAccessToken(token);
    if (known) return known;
    const payload = await this.#verify(token);
    const { sub, sid, jti, exp } = payload;
    if (!sub || !jti || !exp || typeof sid !== 'string') throw unauthorized(invalidToken);
    const credential = credentialOf(payload);
    const claims = { userId: sub, sessionId: sid, tokenId: jti, expiresAt: exp, credential };
    this.#verified.set(token, claims);
    return claims;
  }

  /** Returns the claims of a token that this process has verified before. @throws as `verifyAccessToken` */
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
      .setExpirationTime(now + accessTokenSeconds)
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
          // The issuer, which names the port, is not checked: these keys sign for this service only.
          typ: 'at+jwt',
          algorithms: ['EdDSA'],
          currentDate: this.#ctx.now(),
        },
      );
      return payload;
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw expired();
      if (error instanceof errors.JOSEError) throw unauthorized(invalidToken);
      throw error;
    }
  }
}

function credentialOf(payload: JWTPayload): Credential {
  const { client_id: clientId, scope = '' } = payload as { client_id?: string; scope?: string };
  if (clientId === undefined) return { kind: 'login' };
  const named = scope.split(' ');
  return { kind: 'oauth', clientId, scopes: oauthScopes.filter((known) => named.includes(known)) };
}

const invalidToken = 'The access token is not valid. Log in, or refresh it.';
const expired = () =>
  unauthorized(
    'The access token has expired. Get a new one from POST /v1/auth/refresh.',
    'token_expired',
  );
