import type { Db } from '../../platform/db.ts';
import { forbidden } from '../../platform/problems.ts';
import { findUser, type UserRow } from './queries.ts';

/**
 * What an account cannot do before its address is proven, since anybody can register with an address of somebody else:
 * whatever mails other people, speaks for the mailbox, or shows what its owner signed. Each act names itself here.
 */
const refusals = {
  change_address: 'Verify your email address before you change it.',
  contact_organizer: 'Verify your email address before you write.',
  deliver_petition: 'Verify your email address before you deliver.',
  hand_over_petition: 'Verify your email address before you hand a petition over.',
  invite_organizer: 'Verify your email address before you invite.',
  remove_password: 'Verify your email address first: by it you will log in.',
  show_signatures: 'Verify your email address before your profile lists what you signed.',
  sign_petition: 'Verify your email address before you sign.',
  take_petition_over: 'Verify your email address before you take a petition over.',
} as const;

/** An act that needs a proven address. */
export type ProvenAct = keyof typeof refusals;

/** Whether somebody has proven to read the mail of the account's address. */
export const isProven = ({ email_verified_at: at }: Pick<UserRow, 'email_verified_at'>): boolean =>
  at !== null;

/** Whether the profile lists what the owner signed: only once it is known who that is. */
export const showsSignatures = (
  user: Pick<UserRow, 'show_signatures' | 'email_verified_at'>,
): boolean => user.show_signatures && isProven(user);

/** The failure of an act that needs a proven address. */
export const notProven = (act: ProvenAct) => forbidden(refusals[act], 'email_not_verified');

/**
 * Returns the account that acts.
 * @throws {Problem} forbidden `email_not_verified` if its address is not proven, or the account is gone
 */
export async function requireProven(db: Db, userId: string, act: ProvenAct): Promise<UserRow> {
  const user = await findUser(db, userId);
  if (!user || !isProven(user)) throw notProven(act);
  return user;
}
