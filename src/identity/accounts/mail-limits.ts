import type { Context } from '../../platform/context.ts';
import type { JobPayload } from '../../platform/jobs.ts';
import type { Counter, Quota } from '../../platform/limits.ts';
import { addMailJob } from '../../platform/mail-queue.ts';
import {
  mailboxKey,
  recoveryMailQuota,
  strangersMailQuota,
} from '../../platform/mail-suppressions.ts';
import { isProven } from './proof-of-address.ts';
import type { UserRow } from './queries.ts';

/** Mails of signing in and registering that anybody can ask for, to one mailbox: part of `strangersMailQuota`. */
const signInMailQuota: Quota = {
  name: 'mail-challenge-to',
  points: 10,
  durationSeconds: 86_400,
  countsWithoutRedis: true,
};

const knownBrowserQuota = (name: string, points: number): Quota => ({
  name,
  points,
  durationSeconds: 3600,
  countsWithoutRedis: true,
});

/**
 * Mails that were asked for in a browser in which the account of the address has signed in before, and in all of these: who has the
 * password can make many.
 */
const knownBrowserQuotas = {
  'sign-in': {
    ofOne: knownBrowserQuota('mail-challenge-known', 5),
    ofAll: knownBrowserQuota('mail-challenge-all-known', 20),
  },
  reset: {
    ofOne: knownBrowserQuota('reset-known', 5),
    ofAll: knownBrowserQuota('reset-all-known', 20),
  },
};

interface AskedMail {
  purpose: keyof typeof knownBrowserQuotas;
  email: string;
  /** Id of the browser if the proven account of the address has signed in there before (`knownBrowserOf`). */
  knownBrowserId?: string | undefined;
}

/**
 * Returns what counts a mail to the address of an account that anybody can ask for. It counts for the mailbox, whose
 * addresses are many. A browser of the owner counts by itself, so that strangers cannot use up what the owner asks for.
 */
export function countersOfAsked(
  { keys }: Pick<Context, 'keys'>,
  { purpose, email, knownBrowserId }: AskedMail,
): Counter[] {
  const mailbox = mailboxKey(keys, email);
  if (knownBrowserId !== undefined) {
    const { ofOne, ofAll } = knownBrowserQuotas[purpose];
    return [
      [ofOne, `${knownBrowserId} ${mailbox}`],
      [ofAll, mailbox],
    ];
  }
  if (purpose === 'reset') return [[recoveryMailQuota, mailbox]];
  return [
    [signInMailQuota, mailbox],
    [strangersMailQuota, mailbox],
  ];
}

/**
 * Stores a job that mails the address of an account what was done with the account. An address that was never proven may
 * be that of somebody else: the mail counts among those that strangers cause to its mailbox, and is left out when these
 * are used up. Call it last in a transaction: what it counts is not given back.
 */
export async function addMailAboutAccount(
  { db, keys, limits }: Pick<Context, 'db' | 'keys' | 'limits'>,
  user: Pick<UserRow, 'email' | 'email_verified_at'>,
  { job, payload }: { job: string; payload: JobPayload },
): Promise<void> {
  const counters: Counter[] = isProven(user)
    ? []
    : [[strangersMailQuota, mailboxKey(keys, user.email)]];
  if (await limits.tryTakeEach(counters)) await addMailJob(db, job, payload);
}
