import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../../platform/context.ts';
import { inTransaction } from '../../platform/context-transactions.ts';
import { isUniqueViolation, transaction, type Tx } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { idOfToken } from '../../platform/id-tokens.ts';
import { newId } from '../../platform/ids.ts';
import type { Quota } from '../../platform/limits.ts';
import { addMailJob } from '../../platform/mail-queue.ts';
import { mailboxKey, strangersMailQuota } from '../../platform/mail-suppressions.ts';
import { conflict, gone } from '../../platform/problems.ts';
import {
  addMailAboutAccount,
  deleteOneTimeTokens,
  isProven,
  lockUser,
  notProven,
  ownAccount,
  requireUncommonPassword,
  setAddress,
  setPassword,
  setPasswordHash,
} from '../accounts/accounts.ts';
import type { FirstProof } from '../first-proof/first-proof.ts';
import { requireOwner } from '../mail-challenges/mail-challenges.ts';
import type { Sessions } from '../sessions/sessions.ts';
import * as queries from './queries.ts';
import type { AddressChange, PasswordChange, PasswordRemoval, PendingAddress } from './schema.ts';

export { cancelPendingChanges } from './queries.ts';

export interface CredentialsDeps {
  sessions: Sessions;
  firstProof: FirstProof;
  /** Ends sessions, API keys and grants that were made since then. */
  endAccessSince: (tx: Tx, userId: string, since: Date) => Promise<void>;
}

/** Mails to a new address, which may be somebody else's. */
const newAddressQuota: Quota = { name: 'address-change-to', points: 5, durationSeconds: 86_400 };
/** The same of an account, so that it cannot mail many strangers. */
const accountQuota: Quota = { name: 'address-change', points: 10, durationSeconds: 86_400 };

interface Request<Input> {
  caller: Caller;
  input: Input;
  ip: string;
}

/** Changes how one logs in: the password and the address. */
export class Credentials {
  #deps: CredentialsDeps;

  constructor(deps: CredentialsDeps) {
    this.#deps = deps;
  }

  /**
   * Sets a password, whether there was one or not, and ends all other sessions.
   * @throws {Problem} as `requireOwner`; validation-failed if the password is too common
   */
  async changePassword(
    ctx: Context,
    { caller, input, ip }: Request<PasswordChange>,
  ): Promise<void> {
    const { new_password: password, ...proof } = input;
    const user = await ownAccount(ctx, caller);
    requireUncommonPassword(password, user, 'new_password');
    await requireOwner(ctx, { caller, user, proof, ip });
    await transaction(ctx.db, async (tx) => {
      await setPassword({ ...ctx, db: tx }, user.id, password);
      await this.#deps.sessions.endOtherSessions(tx, user.id, caller.sessionId);
      await addMailAboutAccount({ ...ctx, db: tx }, user, {
        job: 'send-password-changed-mail',
        payload: { user_id: user.id },
      });
    });
    await ctx.afterCommit(() => this.#deps.sessions.revocations.refresh());
  }

  /**
   * Removes the password: from then on one signs in by mail.
   * @throws {Problem} forbidden `email_not_verified` if the address was never proven; as `requireOwner`
   */
  async removePassword(
    ctx: Context,
    { caller, input: proof, ip }: Request<PasswordRemoval>,
  ): Promise<void> {
    const user = await ownAccount(ctx, caller);
    if (!isProven(user)) throw notProven('remove_password');
    await requireOwner(ctx, { caller, user, proof, ip });
    await transaction(ctx.db, async (tx) => {
      await setPasswordHash(tx, user.id, null);
      await deleteOneTimeTokens(tx, 'reset-password', user.id);
    });
  }

  /**
   * Mails a link to a new address, which confirms it. The answer does not tell whether the address is in use.
   * @throws {Problem} forbidden `email_not_verified` if the present address was never proven; as `requireOwner`; rate-limited
   */
  async requestAddress(
    ctx: Context,
    { caller, input, ip }: Request<AddressChange>,
  ): Promise<PendingAddress> {
    const { email, ...proof } = input;
    const user = await ownAccount(ctx, caller);
    if (!isProven(user)) throw notProven('change_address');
    await requireOwner(ctx, { caller, user, proof, ip });
    const tooMany = 'Too many mails to this address.';
    await ctx.limits.take(accountQuota, user.id, 'Too many changes of the address.');
    const mailbox = mailboxKey(ctx.keys, email);
    await ctx.limits.take(newAddressQuota, mailbox, tooMany);
    await ctx.limits.take(strangersMailQuota, mailbox, tooMany);
    return transaction(ctx.db, async (tx) => {
      const id = newId();
      const row = { id, user_id: user.id, old_email: user.email, new_email: email };
      const expiresAt = await queries.insertChange(tx, row);
      await addMailJob(tx, 'send-address-confirmation', { id });
      return { email, expires_at: expiresAt };
    });
  }

  /**
   * Makes the new address that of the account, also where somebody opened another with it and never proved it. The old one gets a link that
   * undoes it, and stays reserved for seven days.
   * @throws {Problem} gone for a used, old, superseded or cancelled link; conflict if the address is that of a proven account by
   *   then, or of one that was registered in the browser of the request
   */
  async confirmAddress(ctx: Context, token: string, headers: IncomingHttpHeaders): Promise<void> {
    const id = idOfToken(ctx.keys, 'address-change', token);
    await refuseTaken(() =>
      inTransaction(ctx, async (within) => {
        const { db: tx } = within;
        const asked = id && (await queries.findChange(tx, id));
        if (!asked) throw changeOver();
        const user = await lockUser(tx, asked.user_id);
        const change = await queries.confirmChange(tx, asked.id);
        if (!change || !user) throw changeOver();
        const { user_id: userId, new_email: email } = change;
        await this.#deps.firstProof.claimAddress(within, { email, user, headers });
        await setAddress(tx, ctx.keys, userId, email);
        // Those that were mailed to the old address.
        for (const purpose of ['reset-password', 'verify-email', 'end-access'] as const) {
          await deleteOneTimeTokens(tx, purpose, userId);
        }
        await addMailJob(tx, 'send-address-changed', { id: change.id });
      }),
    );
  }

  /**
   * Gives the account its old address back, ends what was made since the change, and mails a link for a new password.
   * @throws {Problem} gone for a used or old link
   */
  async undoAddress(ctx: Context, token: string): Promise<void> {
    const id = idOfToken(ctx.keys, 'address-undo', token);
    await refuseTaken(() =>
      transaction(ctx.db, async (tx) => {
        const change = id && (await queries.undoChange(tx, id));
        if (!change) throw changeOver();
        const { user_id: userId, old_email: email, created_at: since } = change;
        await queries.undoLaterChanges(tx, change);
        await setAddress(tx, ctx.keys, userId, email);
        await setPasswordHash(tx, userId, null);
        await this.#deps.endAccessSince(tx, userId, since);
        await addMailJob(tx, 'send-reset-mail', { user_id: userId });
      }),
    );
    await ctx.afterCommit(() => this.#deps.sessions.revocations.refresh());
  }
}

const changeOver = () => gone('This link was used already, or is too old.');
const addressTaken = () => conflict('email_in_use', 'This email address has an account already.');

/** Turns the violation of the unique address into a conflict. */
async function refuseTaken(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw isUniqueViolation(error, 'users_email_key') ? addressTaken() : error;
  }
}
