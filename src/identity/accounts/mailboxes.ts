import { createHmac } from 'node:crypto';
import type { Db } from '../../platform/db.ts';
import type { Keys } from '../../platform/keys.ts';
import { canonicalAddress } from '../../platform/mail-addresses.ts';
import { isDisposable } from './mail-domains.ts';

/** What stands with an account of its address, so that signing reads no address. */
export interface Mailbox {
  /** Keyed hash of the canonical address. */
  mailbox: Buffer;
  /** Keyed hash of its domain. */
  mail_domain: Buffer;
  has_canonical_address: boolean;
  has_disposable_address: boolean;
}

export function mailboxOf(keys: Keys, email: string): Mailbox {
  const { address, domain } = canonicalAddress(email);
  const hash = (text: string) => createHmac('sha256', keys.mailbox).update(text).digest();
  return {
    mailbox: hash(`address:${address}`),
    mail_domain: mailDomainHash(keys, domain),
    has_canonical_address: email.toLowerCase() === address,
    has_disposable_address: isDisposable(domain),
  };
}

/** Keyed hash of a canonical domain, as in `Mailbox`. */
export const mailDomainHash = (keys: Keys, domain: string): Buffer =>
  createHmac('sha256', keys.mailbox).update(`domain:${domain}`).digest();

/**
 * Stores the mailboxes of accounts that were created by an earlier version. Locks accounts in the order of their ids, so
 * that backfills and signers cannot deadlock.
 */
export async function fillMailboxes(db: Db, keys: Keys, userIds: readonly string[]): Promise<void> {
  const users = await db<{ id: string; email: string }[]>`
    select id, email from users where id = any(${userIds}::uuid[]) and mailbox is null
    order by id for no key update`;
  if (users.length === 0) return;
  const rows = users.map(({ id, email }) => {
    const { mailbox, mail_domain, ...marks } = mailboxOf(keys, email);
    return { id, mailbox: toHex(mailbox), mail_domain: toHex(mail_domain), ...marks };
  });
  await db`
    update users u set mailbox = r.mailbox, mail_domain = r.mail_domain,
      has_canonical_address = r.has_canonical_address,
      has_disposable_address = r.has_disposable_address
    from jsonb_to_recordset(${db.json(rows)}) as r (id uuid, mailbox bytea, mail_domain bytea,
      has_canonical_address boolean, has_disposable_address boolean)
    where u.id = r.id`;
}

const toHex = (bytes: Buffer) => `\\x${bytes.toString('hex')}`;

/** Returns the next accounts by id without a mailbox. */
export async function findWithoutMailbox(db: Db, after: string, limit: number): Promise<string[]> {
  return db.column<string>`
    select id from users where id > ${after} and mailbox is null order by id limit ${limit}`;
}

/** Returns the accounts with the mailboxes of these accounts, themselves included, filled in or not. */
export async function findAliases(db: Db, userIds: readonly string[]): Promise<string[]> {
  return db.column<string>`
    with given as (select id, email, mailbox from users where id = any(${userIds}::uuid[]))
    select id from given
    union
    select u.id from given g join users u on u.mailbox = g.mailbox
    union
    select u.id from given g
    join users u on canonical_address(u.email) = canonical_address(g.email) and u.mailbox is null`;
}
