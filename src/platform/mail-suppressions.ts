import type { Db, Tx } from './db.ts';
import { equalInConstantTime, type Keys } from './keys.ts';
import type { Limits, Quota } from './limits.ts';
import { addressForLimits, canonicalAddress } from './mail-addresses.ts';
import { MailError, MailSuppressed } from './mail-errors.ts';
import type { KeyedMail } from './mail-keys.ts';
import type { Mail, Mailer } from './mail.ts';
import { notFound } from './problems.ts';

export type SuppressionCause = 'bounced' | 'complained' | 'unsubscribed';

/** Reacts to the bounce of a mail that its server had accepted, in the transaction that stores the bounce. */
export type BounceHandler = (tx: Tx, mail: KeyedMail) => Promise<void>;

/** Returns the keyed hash of a mailbox, 16 bytes. */
export const mailboxHash = (keys: Keys, email: string): Buffer =>
  keys.hash('mail-recipient', canonicalAddress(email).address).subarray(0, 16);

/** Key of a mailbox for limits. */
export const mailboxKey = (keys: Keys, email: string): string =>
  mailboxHash(keys, addressForLimits(email)).toString('base64url');

/**
 * Mails of all kinds but one to a mailbox that anybody can cause, by `mailboxKey`. Each kind has a lower limit of its own.
 * With `recoveryMailQuota` they are 20 a day.
 */
export const strangersMailQuota: Quota = {
  name: 'stranger-mail-to',
  points: 15,
  durationSeconds: 86_400,
  countsWithoutRedis: true,
};

/** Mails that set a new password, by `mailboxKey`. They count apart, so that other mails cannot use them up. */
export const recoveryMailQuota: Quota = {
  name: 'recovery-mail-to',
  points: 5,
  durationSeconds: 86_400,
  countsWithoutRedis: true,
};

/** Mails to all mailboxes that carry a user's words to people who did not ask for them; its only key is `all`. */
export const overallStrangersMailQuota = ({
  mailHourlyLimit,
}: {
  mailHourlyLimit: number;
}): Quota => ({ name: 'stranger-mail', points: mailHourlyLimit, durationSeconds: 3600 });

/**
 * Counts a mail that carries a user's words to somebody who did not ask for it: by mailbox, and in all. Take the narrower limits of
 * its kind before.
 * @throws {Problem} rate-limited, with the message if it is the mailbox
 */
export async function takeMailToStranger(
  { limits, config }: { limits: Limits; config: { mailHourlyLimit: number } },
  mailbox: string,
  message: string,
): Promise<void> {
  await limits.take(strangersMailQuota, mailbox, message);
  const overall = overallStrangersMailQuota(config);
  await limits.take(overall, 'all', 'The service has sent enough mail for an hour.');
}

/**
 * What ends mails of each cause. After a bounce, the owner of a mailbox confirms it again by a mail that they ask for, so
 * a bounce does not end these.
 */
const endedBy: Record<Mail['cause'], readonly SuppressionCause[]> = {
  'own act': [],
  'unproven act': ['unsubscribed'],
  list: ['bounced', 'complained', 'unsubscribed'],
  stranger: ['bounced', 'complained', 'unsubscribed'],
};

/** A mailer that sends nothing to mailboxes that want no mail of its cause, or whose mail bounced. */
export function suppressingMailer(mailer: Mailer, { db, keys }: { db: Db; keys: Keys }): Mailer {
  return {
    async send(mail) {
      const mailbox = mailboxHash(keys, mail.to);
      if (await isSuppressed(db, mailbox, endedBy[mail.cause])) throw new MailSuppressed();
      try {
        return await mailer.send(mail);
      } catch (error) {
        if (error instanceof MailError && error.isBounce) {
          await insertSuppression(db, mailbox, 'bounced');
        }
        throw error;
      }
    },
    close: () => mailer.close(),
  };
}

const isSuppressed = async (
  db: Db,
  mailbox: Buffer,
  causes: readonly SuppressionCause[],
): Promise<boolean> =>
  causes.length > 0 &&
  db.exists`
    select from mail_suppressions where mailbox = ${mailbox} and cause = any(${[...causes]}::text[])`;

/** Ends mail to a mailbox, as `endedBy` says. `created_at` is the time of the newest bounce. */
export async function insertSuppression(
  db: Db,
  mailbox: Buffer,
  cause: SuppressionCause,
): Promise<void> {
  await db`
    insert into mail_suppressions (mailbox, cause) values (${mailbox}, ${cause})
    on conflict (mailbox, cause) do update set created_at = excluded.created_at`;
}

/** Sends mail to this address again after bounces and complaints: its owner has confirmed it. */
export async function forgetBounces(db: Db, keys: Keys, email: string): Promise<void> {
  await db`
    delete from mail_suppressions
    where mailbox = ${mailboxHash(keys, email)} and cause in ('bounced', 'complained')`;
}

/** Whether mail to this address has ended until its owner confirms it again. */
export const isSilenced = (db: Db, keys: Keys, email: string): Promise<boolean> =>
  db.exists`
    select from mail_suppressions
    where mailbox = ${mailboxHash(keys, email)} and cause in ('bounced', 'complained')`;

/** Whether a mail to this address bounced at this time or later. */
export const hasBouncedSince = (
  db: Db,
  keys: Keys,
  { email, since }: { email: string; since: Date },
): Promise<boolean> =>
  db.exists`
    select from mail_suppressions
    where mailbox = ${mailboxHash(keys, email)} and cause = 'bounced' and created_at >= ${since}`;

const macBytes = 16;

/** Returns the token of a link by which the owner of a mailbox ends mail. It stays valid. */
export const stopToken = (keys: Keys, email: string): string =>
  sign(keys, mailboxHash(keys, email));

const sign = (keys: Keys, mailbox: Buffer): string => {
  const mac = keys.hash('mail-stop', mailbox.toString('hex')).subarray(0, macBytes);
  return Buffer.concat([mailbox, mac]).toString('base64url');
};

/** @throws {Problem} not-found if the token is not one of ours */
function mailboxOf(keys: Keys, token: string): Buffer {
  const mailbox = Buffer.from(token, 'base64url').subarray(0, 16);
  if (!equalInConstantTime(sign(keys, mailbox), token)) throw notFound('link');
  return mailbox;
}

/** Whether the mailbox of a link gets no mail that strangers or lists cause. @throws {Problem} not-found */
export const isStopped = (db: Db, keys: Keys, token: string): Promise<boolean> =>
  db.exists`
    select from mail_suppressions
    where mailbox = ${mailboxOf(keys, token)} and cause = 'unsubscribed'`;

/** Ends mail that strangers or lists cause, or allows it again. @throws {Problem} not-found */
export async function setStopped(
  db: Db,
  keys: Keys,
  token: string,
  isWanted: boolean,
): Promise<void> {
  const mailbox = mailboxOf(keys, token);
  if (isWanted) await insertSuppression(db, mailbox, 'unsubscribed');
  else
    await db`delete from mail_suppressions where mailbox = ${mailbox} and cause = 'unsubscribed'`;
}
