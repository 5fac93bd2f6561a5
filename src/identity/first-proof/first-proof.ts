import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../../platform/context.ts';
import { addMailJob } from '../../platform/mail-queue.ts';
import { forgetBounces } from '../../platform/mail-suppressions.ts';
import type { Language } from '../../platform/pages/language.ts';
import { newId } from '../../platform/ids.ts';
import {
  createUser,
  findUserByEmail,
  isProven,
  unnamed,
  verifyAddress,
  type UserRow,
} from '../accounts/accounts.ts';
import { hasRegistered } from '../browser-sessions/browser-sessions.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { gone } from '../../platform/problems.ts';
import { quarantine, quarantineFor, type QuarantineDeps } from './quarantine.ts';
import { isQuarantined } from './queries.ts';

export interface FirstProofDeps extends QuarantineDeps {
  sessions: Sessions;
}

/** Who has just proven to read the mail of an address. */
export interface Prover {
  email: string;
  /** For a new account. */
  displayName: string | undefined;
  language: Language;
  /** Of the request that proves it. */
  headers: IncomingHttpHeaders;
}

export interface ProvenAccount {
  user: UserRow;
  /** Whether there was no account with this address. */
  isNew: boolean;
  /** Whether an account that somebody else may have opened was quarantined, and all its access ended. */
  hasEndedAccess: boolean;
}

/** Decides whose an account is once its address is proven. Every way of proof but the account's own verification asks here. */
export class FirstProof {
  readonly deps: FirstProofDeps;

  constructor(deps: FirstProofDeps) {
    this.deps = deps;
  }

  /** Whether the request comes from the browser that registered the account, or one that its password has logged in. */
  isRegistrant(ctx: Context, headers: IncomingHttpHeaders, userId: string): boolean {
    return hasRegistered(ctx, this.deps.sessions, headers, userId);
  }

  /** Whether an account is that of who proves its address now. */
  isOwn(ctx: Context, headers: IncomingHttpHeaders, user: UserRow): boolean {
    return isProven(user) || this.isRegistrant(ctx, headers, user.id);
  }

  /**
   * Returns the account of an address that was just proven; creates one without a password if there is none. The first proof from another
   * browser than the one that registered gives the address to a new account, which has nothing of the earlier one: see `quarantine`.
   * @throws {Problem} gone for an account that was quarantined while a link to it was mailed
   */
  async accountOf(ctx: Context, prover: Prover): Promise<ProvenAccount> {
    const { email, headers } = prover;
    await forgetBounces(ctx.db, ctx.keys, email);
    const known = await findUserByEmail(ctx.db, email);
    if (!known) return this.#create(ctx, prover);
    if (isProven(known)) return { user: known, isNew: false, hasEndedAccess: false };
    if (this.isRegistrant(ctx, headers, known.id)) {
      await verifyAddress(ctx, ctx.db, known);
      const user = (await findUserByEmail(ctx.db, email)) ?? known;
      return { user, isNew: false, hasEndedAccess: false };
    }
    if (await isQuarantined(ctx.db, known.id))
      throw gone('This link is too old. Ask for a new one.');
    const user = await quarantine(ctx, this.deps, known, prover);
    // It was proven, or erased, at the same time.
    if (!user) return this.accountOf(ctx, prover);
    await addMailJob(ctx.db, 'send-access-ended-mail', { user_id: user.id });
    return { user, isNew: false, hasEndedAccess: true };
  }

  /**
   * Takes an address that the user has just proven from an account that somebody else opened with it. Leaves it to that account if it is
   * proven, or was registered in the browser of the request.
   */
  async claimAddress(
    ctx: Context,
    { email, user, headers }: { email: string; user: UserRow; headers: IncomingHttpHeaders },
  ): Promise<void> {
    const known = await findUserByEmail(ctx.db, email);
    if (!known || known.id === user.id || this.isOwn(ctx, headers, known)) return;
    await quarantineFor(ctx, this.deps, known, { ownerOf: async () => user });
  }

  async #create(ctx: Context, prover: Prover): Promise<ProvenAccount> {
    const { email, displayName, language } = prover;
    try {
      const user = await createUser(ctx.db, ctx.keys, {
        id: newId(),
        email,
        passwordHash: null,
        displayName: displayName ?? unnamed(language),
        language,
        verified: true,
      });
      return { user, isNew: true, hasEndedAccess: false };
    } catch (error) {
      // Another request created it meanwhile.
      if (!(await findUserByEmail(ctx.db, email))) throw error;
      return this.accountOf(ctx, prover);
    }
  }
}

export {
  discardQuarantined,
  findQuarantined,
  hasQuarantined,
  keepQuarantined,
  showOnce,
  type EarlierAccount,
} from './quarantine.ts';
