import type { FastifyRequest } from 'fastify';
import type { Context } from '../../platform/context.ts';
import { pageById, type Page, type PageQuery } from '../../platform/cursor.ts';
import { transaction, type Db, type Tx } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { randomToken } from '../../platform/keys.ts';
import { networkOf, type Counter } from '../../platform/limits.ts';
import { forbidden, notFound, unauthorized } from '../../platform/problems.ts';
import {
  accountKey,
  addMailAboutAccount,
  findUser,
  loginAccountQuota,
  loginBrowserQuota,
  loginNetworkQuota,
  loginQuota,
  userWithPassword,
  type UserRow,
} from '../accounts/accounts.ts';
import * as queries from './queries.ts';
import type { Session, TokenPair } from './schema.ts';
import { SigningKeys } from './signing-keys.ts';
import { RevocationCache } from './revocation-cache.ts';
import { storedSource, type RequestSource } from './source.ts';
import { accessTokenSeconds, Tokens, type AccessClaims } from './tokens.ts';

export { sourceOf, type RequestSource } from './source.ts';
export { describeSource } from './texts.ts';
export { accessTokenSeconds } from './tokens.ts';

export interface SessionsDeps {
  /** Ends the OAuth authorization of a refresh token, if the token is one of the user's. */
  endByRefreshToken: (ctx: Context, userId: string, token: string) => Promise<void>;
}

interface LoginCredentials {
  email: string;
  password: string;
  ip: string;
  /** Id of the browser, if the account has logged in there before. */
  browserId?: string | undefined;
}

/** What counts failed logins. */
interface LoginCounters {
  /** Start again when the account logs in. */
  ownFailures: Counter[];
  others: Counter[];
}

/**
 * Returns what counts failed logins. Browsers in which the account has logged in before have a share of their own, so that others who
 * guess the password cannot lock its owner out. It is no larger, so that such a cookie gives no more guesses. It has no limit for
 * all accounts of a network: a cookie gives guesses of at most five accounts, and others in the network would use it up.
 */
function loginCounters(ctx: Context, { email, ip, browserId }: LoginCredentials): LoginCounters {
  const account = accountKey(ctx, email);
  const network = networkOf(ip);
  if (browserId === undefined) {
    return {
      ownFailures: [[loginQuota, `${account} ${network}`]],
      others: [
        [loginAccountQuota, account],
        [loginNetworkQuota, network],
      ],
    };
  }
  const known = `known ${account}`;
  return {
    ownFailures: [
      [loginQuota, `${known} ${network}`],
      [loginBrowserQuota, `${browserId} ${known}`],
    ],
    others: [[loginAccountQuota, known]],
  };
}

/** Cancels what somebody in a session asked for, and has not been confirmed. Given by a slice above. */
type CancelPending = (db: Db, userId: string) => Promise<void>;

/** Logs users in and out, refreshes tokens, and authenticates requests. */
export class Sessions {
  readonly signingKeys: SigningKeys;
  readonly tokens: Tokens;
  readonly revocations: RevocationCache;

  readonly #cancelPending: CancelPending;

  constructor(ctx: Context, cancelPending: CancelPending = async () => {}) {
    this.#cancelPending = cancelPending;
    this.signingKeys = new SigningKeys(ctx);
    this.tokens = new Tokens(ctx, this.signingKeys);
    this.revocations = new RevocationCache(ctx);
  }

  async start(): Promise<void> {
    await this.signingKeys.start();
    await this.revocations.start();
  }

  /** Returns the caller, or null without credentials. Asynchronous only for tokens not yet verified. */
  authenticate(request: Pick<FastifyRequest, 'headers'>): Caller | null | Promise<Caller | null> {
    const { authorization } = request.headers;
    if (authorization === undefined) return null;
    const token = /^Bearer +([\w.~+/-]+=*) *$/i.exec(authorization)?.[1];
    if (!token) throw unauthorized('Send Authorization: Bearer <access_token>.');
    const known = this.tokens.knownAccessToken(token);
    return known ? this.#caller(known) : this.callerOf(token);
  }

  /**
   * Returns the caller of an access token.
   * @throws {Problem} unauthorized, or forbidden if the account is suspended
   */
  async callerOf(token: string): Promise<Caller> {
    return this.#caller(await this.tokens.verifyAccessToken(token));
  }

  #caller(claims: AccessClaims): Caller {
    const { tokenId, sessionId, userId, credential } = claims;
    const ids = [tokenId, sessionId, userId];
    if (credential.kind === 'oauth') ids.push(credential.clientId);
    switch (this.revocations.revocationOf(...ids)) {
      case 'ended':
        throw unauthorized('This token was revoked, or its session has ended. Log in again.');
      case 'suspended':
        throw accountSuspended();
    }
    // No scope allows actions of moderators and administrators.
    const role = credential.kind === 'oauth' ? 'user' : this.revocations.roleOf(userId);
    return { ...claims, role };
  }

  /**
   * Creates a session with tokens.
   * @throws {Problem} as `verifyLogin`
   */
  async login(
    ctx: Context,
    credentials: Pick<LoginCredentials, 'email' | 'password'>,
    source: RequestSource,
  ): Promise<TokenPair> {
    const user = await this.verifyLogin(ctx, { ...credentials, ip: source.ip });
    return this.openSession(ctx, user, source);
  }

  /** Creates a session with tokens for a user whose identity was proven. */
  async openSession(ctx: Context, user: UserRow, source: RequestSource): Promise<TokenPair> {
    return transaction(ctx.db, async (tx) => {
      const sessionId = await storeSession(ctx, tx, user.id, source);
      return this.#issuePair(ctx, tx, user, sessionId);
    });
  }

  /**
   * Returns the user with this address and password.
   * @throws {Problem} unauthorized, the same for an unknown address and a wrong password; rate-limited
   *   after too many failures, also for the right password; forbidden if the account is suspended
   */
  async verifyLogin(ctx: Context, credentials: LoginCredentials): Promise<UserRow> {
    const { email, password } = credentials;
    const { ownFailures, others } = loginCounters(ctx, credentials);
    const user = await ctx.limits.checkGuess([...ownFailures, ...others], tooManyFailures, () =>
      userWithPassword(ctx, email, password),
    );
    if (!user) throw unauthorized('The email address or the password is wrong.');
    if (user.suspended_at) throw accountSuspended();
    for (const counter of ownFailures) await ctx.limits.clear(...counter);
    return user;
  }

  /** Creates a session without tokens, for a browser. Returns its id. */
  async createSession(ctx: Context, userId: string, source: RequestSource): Promise<string> {
    return transaction(ctx.db, (tx) => storeSession(ctx, tx, userId, source));
  }

  /** Stores that a browser uses its session now. */
  async recordUse(ctx: Context, sessionId: string, source: RequestSource): Promise<void> {
    await queries.recordUse(ctx.db, sessionId, storedSource(source));
  }

  /**
   * Exchanges a refresh token for a new pair. Reuse of a token ends its session, since the token may have
   * been stolen (RFC 9700 section 4.14).
   */
  async refresh(ctx: Context, refreshToken: string, source: RequestSource): Promise<TokenPair> {
    const tokenHash = ctx.keys.hash('refresh-token', refreshToken);
    const result = await transaction(ctx.db, async (tx) => {
      const use = await queries.useRefreshToken(tx, tokenHash);
      if (!use?.fresh) return use;
      const user = await findUser(tx, use.user_id);
      if (!user) return undefined;
      if (user.suspended_at) throw accountSuspended();
      await queries.recordUse(tx, use.session_id, storedSource(source));
      return { pair: await this.#issuePair(ctx, tx, user, use.session_id) };
    });
    if (result && 'pair' in result) return result.pair;
    if (result?.expired) {
      throw unauthorized('This refresh token has expired. Log in again.', 'token_expired');
    }
    if (result) {
      // Outside the request's transaction, which the failure rolls back.
      await queries.endSessions(ctx.pools.main, { sessionId: result.session_id });
      await this.revocations.refresh();
    }
    throw unauthorized('This refresh token is unknown or used. Log in again.');
  }

  async #issuePair(ctx: Context, tx: Tx, user: UserRow, sessionId: string): Promise<TokenPair> {
    const refreshToken = randomToken(32);
    await queries.insertRefreshToken(tx, ctx.keys.hash('refresh-token', refreshToken), sessionId);
    return {
      token: await this.tokens.issueIdToken(user, sessionId),
      access_token: await this.tokens.issueAccessToken(user.id, sessionId),
      refresh_token: refreshToken,
      expires_in: accessTokenSeconds,
      token_type: 'Bearer',
    };
  }

  /** Ends the session of a refresh token. Ignores unknown tokens. */
  async logout(ctx: Context, refreshToken: string): Promise<void> {
    const tokenHash = ctx.keys.hash('refresh-token', refreshToken);
    const token = await queries.findRefreshToken(ctx.db, tokenHash);
    if (token) await this.endSession(ctx, token.session_id);
  }

  /**
   * Revokes a token of the caller (RFC 7009): an access token alone, a refresh token with its session or
   * OAuth authorization. Ignores unknown tokens and those of other users.
   */
  async revoke(
    ctx: Context,
    { endByRefreshToken }: SessionsDeps,
    { userId }: Caller,
    token: string,
  ): Promise<void> {
    const found = await queries.findRefreshToken(ctx.db, ctx.keys.hash('refresh-token', token));
    if (found?.user_id === userId) {
      await queries.endSessions(ctx.db, { sessionId: found.session_id });
    } else if (!found) {
      const claims = await this.tokens.verifyAccessToken(token).catch(() => undefined);
      if (!claims) await endByRefreshToken(ctx, userId, token);
      else if (claims.userId === userId) await this.revokeAccess(ctx.db, [claims.tokenId]);
    }
    await ctx.afterCommit(() => this.revocations.refresh());
  }

  /** Returns the caller's sessions in force, newest first. */
  async listOwn(ctx: Context, caller: Caller, query: PageQuery): Promise<Page<Session>> {
    return pageById(
      'sessions',
      query,
      (before, limit) => queries.listSessions(ctx.db, caller.userId, before, limit),
      (row) => ({ ...row, current: row.id === caller.sessionId }),
    );
  }

  /** @throws {Problem} not-found unless it is one of the caller's sessions in force */
  async endOwn(ctx: Context, { userId }: Caller, sessionId: string): Promise<void> {
    if (!(await queries.hasSession(ctx.db, userId, sessionId))) throw notFound('session');
    await this.#cancelPending(ctx.db, userId);
    await this.endSession(ctx, sessionId);
  }

  /** Ends the caller's sessions, except that of the access token that they send. */
  async endOthers(ctx: Context, { userId, sessionId }: Caller): Promise<void> {
    await this.endOtherSessions(ctx.db, userId, sessionId);
    await ctx.afterCommit(() => this.revocations.refresh());
  }

  async endSession(ctx: Context, sessionId: string): Promise<void> {
    await queries.endSessions(ctx.db, { sessionId });
    await ctx.afterCommit(() => this.revocations.refresh());
  }

  /**
   * Revokes access tokens by their own id or that of their session, user or client. Callers refresh
   * `revocations` after the commit.
   */
  async revokeAccess(db: Db, ids: string[]): Promise<void> {
    await queries.storeRevocations(db, ids, 'ended');
  }

  /**
   * Rejects or accepts again a user's access tokens. Callers refresh `revocations` after the commit. The
   * revocation is kept longer than such tokens live; code that issues or reads other credentials checks
   * `users.suspended_at`.
   */
  async setSuspended(db: Db, userId: string, suspended: boolean): Promise<void> {
    await queries.storeRevocations(db, [userId], suspended ? 'suspended' : 'restored');
  }

  /** Ends every session of a user, and cancels what was asked for in them. Callers refresh `revocations` after the commit. */
  async endAllSessions(db: Db, userId: string): Promise<void> {
    await queries.endSessions(db, { userId });
    await this.#cancelPending(db, userId);
  }

  /** Ends every session of a user but one, and cancels what was asked for. Callers refresh `revocations` after the commit. */
  async endOtherSessions(db: Db, userId: string, exceptId: string): Promise<void> {
    await queries.endSessions(db, { userId, exceptId });
    await this.#cancelPending(db, userId);
  }

  /** Ends the sessions of a user that began since then. Callers refresh `revocations` after the commit. */
  async endSessionsSince(db: Db, userId: string, since: Date): Promise<void> {
    await queries.endSessions(db, { userId, since });
  }
}

/** Stores a session, and a mail about it if that is due: who signs in cannot switch it off before. */
async function storeSession(
  ctx: Context,
  tx: Tx,
  userId: string,
  source: RequestSource,
): Promise<string> {
  const id = newId();
  const stored = storedSource(source);
  const alarmed = await queries.findAlarmedUser(tx, userId, stored);
  await queries.insertSession(tx, { id, userId, ...stored });
  if (alarmed) {
    await addMailAboutAccount({ ...ctx, db: tx }, alarmed, {
      job: 'send-sign-in-alert',
      payload: { session_id: id },
    });
  }
  return id;
}

const tooManyFailures = 'Too many failed attempts to log in.';

/** Whether a session was opened by signing in within the last ten minutes. */
export const isRecentSession = (ctx: Context, sessionId: string): Promise<boolean> =>
  queries.isRecent(ctx.db, sessionId);

export const accountSuspended = () => forbidden('This account is suspended.', 'account_suspended');
