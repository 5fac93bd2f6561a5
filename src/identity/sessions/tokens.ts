import { decodeJwt, decodeProtectedHeader, errors, SignJWT, type JWTPayload } from 'jose';
import { LRUCache } from 'lru-cache';
import { sign, timingSafeEqual } from 'node:crypto';
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
    if (!sub || !jti || !exp || typeof sid !== 'string') throw invalid();
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

  /**
   * Signs the token again and compares: an Ed25519 signature follows from key and content (RFC 8032, section 5.1.6), and
   * making one takes a third of the time that verifying one does.
   */
  async #verify(token: string): Promise<JWTPayload> {
    const { alg, typ, kid } = decode(() => decodeProtectedHeader(token));
    const key = alg === 'EdDSA' && typ === 'at+jwt' && (await this.#keys.privateKey(kid));
    if (!key) throw invalid();
    const end = token.lastIndexOf('.');
    const signature = Buffer.from(token.slice(end + 1));
    const expected = sign(null, Buffer.from(token.slice(0, end)), key).toString('base64url');
    if (
      signature.length !== expected.length ||
      !timingSafeEqual(signature, Buffer.from(expected))
    ) {
      throw invalid();
    }
    // The issuer, which names the port, is not checked: these keys sign for this service only.
    const payload = decode(() => decodeJwt(token));
    if (!payload.exp || payload.exp * 1000 <= this.#ctx.now().getTime()) throw expired();
    return payload;
  }
}

/** @throws {Problem} unauthorized for what is no JWT */
function decode<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) throw invalid();
    throw error;
  }
}

function credentialOf(payload: JWTPayload): Credential {
  const { client_id: clientId, scope = '' } = payload as { client_id?: string; scope?: string };
  if (clientId === undefined) return { kind: 'login' };
  const named = scope.split(' ');
  return { kind: 'oauth', clientId, scopes: oauthScopes.filter((known) => named.includes(known)) };
}

const invalid = () => unauthorized('The access token is not valid. Log in, or refresh it.');
const expired = () =>
  unauthorized(
    'The access token has expired. Get a new one from POST /v1/auth/refresh.',
    'token_expired',
  );
