import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../../platform/context.ts';
import { inTransaction } from '../../platform/context-transactions.ts';
import { transaction, type Db, type Tx } from '../../platform/db.ts';
import { withoutLinks } from '../../platform/mail-addresses.ts';
import { addMailJob } from '../../platform/mail-queue.ts';
import { sendUnlessFinal, type Mail } from '../../platform/mail.ts';
import { plainText } from '../../platform/pages/catalog.ts';
import { languageOf } from '../../platform/pages/language.ts';
import { gone } from '../../platform/problems.ts';
import {
  accountMail,
  accountMailTexts,
  countersOfAsked,
  createOneTimeToken,
  deleteOneTimeTokens,
  findUser,
  mailAboutAccount,
  redeemOneTimeToken,
  renewProof,
  requireUncommonPassword,
  setPassword,
  userOfOneTimeToken,
  type UserRow,
} from '../accounts/accounts.ts';
import type { FirstProof } from '../first-proof/first-proof.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { addResetJob } from './queries.ts';

interface ResetRequest {
  email: string;
  /** Id of the browser if the proven account of the address has signed in there before. */
  knownBrowserId?: string | undefined;
}

/** Sends a mail to the address if it has an account. Does not reveal whether it has one. */
export async function requestReset(ctx: Context, request: ResetRequest): Promise<void> {
  const counters = countersOfAsked(ctx, { purpose: 'reset', ...request });
  if (await ctx.limits.tryTakeEach(counters)) await addResetJob(ctx.db, request.email);
}

export async function sendResetMail(ctx: Context, userId: string | null): Promise<void> {
  const user = userId && (await findUser(ctx.db, userId));
  if (!user) return;
  const token = await createOneTimeToken(ctx, 'reset-password', user.id);
  const link = `${ctx.config.baseUrl}/reset-password?token=${token}`;
  await sendUnlessFinal(ctx, accountMail(user, 'reset', { link }));
}

/** What still has access to an account after its password was reset. */
export interface RemainingAccess {
  /** Names. */
  apiKeys: string[];
  /** Hosts of the endpoints. */
  webhooks: string[];
}

export interface RecoveryDeps {
  sessions: Sessions;
  firstProof: FirstProof;
  endGrants: (tx: Tx, userId: string) => Promise<void>;
  listAccess: (db: Db, userId: string) => Promise<RemainingAccess>;
  /** Ends the API keys and webhooks of a user. */
  endKeysAndWebhooks: (tx: Tx, userId: string) => Promise<void>;
}

/** Resets passwords by the token from a mail. */
export class Recovery {
  #deps: RecoveryDeps;

  constructor(deps: RecoveryDeps) {
    this.#deps = deps;
  }

  /**
   * Sets a new password, ends the sessions and OAuth grants of the user, and sends a mail. If the address was not proven
   * before, and the request does not come from the browser that registered, the account is a new one: see `FirstProof`. Returns the account,
   * and a token for `remainingAccess` if API keys or webhooks still work.
   * @throws {Problem} gone if the token is unknown, used or expired; validation-failed if the password is too common
   */
  async resetPassword(
    ctx: Context,
    { token, password }: { token: string; password: string },
    headers: IncomingHttpHeaders,
  ): Promise<{ user: UserRow; remaining: string | undefined }> {
    const { sessions, firstProof, endGrants, listAccess } = this.#deps;
    return inTransaction(ctx, async (within) => {
      const { db: tx } = within;
      const ofToken = await redeemOneTimeToken(ctx, tx, 'reset-password', token);
      if (!ofToken) throw gone('This link was used already, or is too old. Ask for a new one.');
      const known = (await findUser(tx, ofToken))!;
      requireUncommonPassword(password, known);
      // Whoever registered may have chosen another language.
      const language = languageOf(headers, ctx.site.current);
      const prover = { email: known.email, displayName: undefined, language, headers };
      const { user } = await firstProof.accountOf(within, prover);
      const { id: userId } = user;
      await setPassword(within, userId, password);
      await deleteOneTimeTokens(tx, 'reset-password', userId);
      await renewProof(tx, userId);
      await sessions.endAllSessions(tx, userId);
      await endGrants(tx, userId);
      await addMailJob(tx, 'send-password-changed-mail', { user_id: userId });
      const isAnyLeft = isAccess(await listAccess(tx, userId));
      const remaining = isAnyLeft
        ? await createOneTimeToken(within, 'end-access', userId)
        : undefined;
      await within.afterCommit(() => sessions.revocations.refresh());
      return { user: (await findUser(tx, userId))!, remaining };
    });
  }

  async sendPasswordChangedMail(ctx: Context, userId: string): Promise<void> {
    const user = await findUser(ctx.db, userId);
    if (!user) return;
    const access = await this.#deps.listAccess(ctx.db, userId);
    const remaining = isAccess(access) ? await describeAccess(ctx, user, access) : undefined;
    const mail = passwordChangedMail(ctx, user, remaining);
    await sendUnlessFinal(ctx, mailAboutAccount(ctx, user, mail));
  }

  /**
   * Returns what still has access to the account of a token.
   * @throws {Problem} gone if the token is unknown, used or expired
   */
  async remainingAccess(ctx: Context, token: string): Promise<RemainingAccess> {
    const userId = await userOfOneTimeToken(ctx, 'end-access', token);
    if (!userId) throw linkIsGone();
    return this.#deps.listAccess(ctx.db, userId);
  }

  /**
   * Ends the API keys and webhooks of the account of a token.
   * @throws {Problem} gone if the token is unknown, used or expired
   */
  async endRemainingAccess(ctx: Context, token: string): Promise<void> {
    await transaction(ctx.db, async (tx) => {
      const userId = await redeemOneTimeToken(ctx, tx, 'end-access', token);
      if (!userId) throw linkIsGone();
      await this.#deps.endKeysAndWebhooks(tx, userId);
      await deleteOneTimeTokens(tx, 'end-access', userId);
    });
  }
}

/** Composes the mail about a new password. `remaining` says what still has access to the account. */
export function passwordChangedMail(
  { config }: Pick<Context, 'config'>,
  { email, language }: Pick<UserRow, 'email' | 'language'>,
  remaining: string | undefined,
): Mail {
  const link = `${config.baseUrl}/forgot-password`;
  const parts = [
    plainText(accountMailTexts, language, 'password'),
    remaining,
    plainText(accountMailTexts, language, 'password_not_you', { link }),
  ];
  return {
    kind: 'password-changed',
    cause: 'own act',
    to: email,
    language,
    subject: plainText(accountMailTexts, language, 'password_subject'),
    text: parts.filter((part) => part !== undefined).join('\n\n'),
  };
}

const isAccess = ({ apiKeys, webhooks }: RemainingAccess) => apiKeys.length + webhooks.length > 0;

const linkIsGone = () =>
  gone('This link was used already, or is too old. Log in to see your API keys and webhooks.');

async function describeAccess(
  ctx: Context,
  { id, language }: UserRow,
  { apiKeys, webhooks }: RemainingAccess,
): Promise<string> {
  const token = await createOneTimeToken(ctx, 'end-access', id);
  const say = (key: 'api_key' | 'webhook', name: string) =>
    `- ${plainText(accountMailTexts, language, key, { name: withoutLinks(name) })}`;
  const lines = [
    ...apiKeys.map((name) => say('api_key', name)),
    ...webhooks.map((host) => say('webhook', host)),
  ];
  return plainText(accountMailTexts, language, 'access', {
    list: lines.join('\n'),
    link: `${ctx.config.baseUrl}/end-access?token=${token}`,
  });
}
