import type { Context } from '../../platform/context.ts';
import { isDeadlock, retryOn, transaction, type Db, type Tx } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import type { Keys } from '../../platform/keys.ts';
import { networkOf, type Counter } from '../../platform/limits.ts';
import { asciiAddress } from '../../platform/mail-addresses.ts';
import { addMailJob } from '../../platform/mail-queue.ts';
import { sendUnlessFinal } from '../../platform/mail.ts';
import { forgetBounces, isSilenced, mailboxKey } from '../../platform/mail-suppressions.ts';
import type { Language } from '../../platform/pages/language.ts';
import { pictureChanged } from '../../platform/picture-copies.ts';
import { conflict, forbidden, gone, notFound } from '../../platform/problems.ts';
import type { PersonalData } from '../../platform/slice.ts';
import { slugCandidates, slugify } from '../../platform/slug.ts';
import { knownPrefs } from './notification-prefs.ts';
import { mailboxOf } from './mailboxes.ts';
import { accountMail, mailAboutAccount } from './account-mail.ts';
import { countersOfAsked } from './mail-limits.ts';
import {
  createOneTimeToken,
  deleteOneTimeTokens,
  redeemOneTimeToken,
  userOfOneTimeToken,
} from './one-time-tokens.ts';
import { eraseUser } from './personal-data.ts';
import { noAccount, ownAccount, type AccountPrecondition } from './own-account.ts';
import { isProven, notProven } from './proof-of-address.ts';
import { requireUncommonPassword } from './password-rules.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import * as queries from './queries.ts';
import type { Address, NewUser, UserRow } from './queries.ts';
import type { PublicProfile, RegisterInput, User, UserUpdateInput } from './schema.ts';
import { mailQuota, ownPasswordQuota, registrationQuota } from './quotas.ts';

export { profileOfUser, type UserRow } from './queries.ts';
export {
  allNotificationPrefs,
  changeNotificationPrefs,
  defaultQueueMail,
  offByDefault,
} from './notification-prefs.ts';
export { accountMail, accountMailTexts, mailAboutAccount } from './account-mail.ts';
export { addMailAboutAccount, countersOfAsked } from './mail-limits.ts';
export {
  createOneTimeToken,
  userOfOneTimeToken,
  deleteExpiredTokens,
  deleteOneTimeTokens,
  giveOneTimeTokens,
  redeemOneTimeToken,
} from './one-time-tokens.ts';
export { isDisposable } from './mail-domains.ts';
export {
  fillMailboxes,
  findAliases,
  findWithoutMailbox,
  mailboxOf,
  mailDomainHash,
} from './mailboxes.ts';
export { accountRevision, ownAccount } from './own-account.ts';
export { adoptProfile, unnamed } from './unnamed.ts';
export { isProven, notProven, requireProven, showsSignatures } from './proof-of-address.ts';
export { eraseUser, exportPersonalData } from './personal-data.ts';
export { requestPhoneCode, verifyPhone } from './phone.ts';
export {
  loginAccountQuota,
  loginBrowserQuota,
  loginNetworkQuota,
  loginQuota,
  mailQuota,
} from './quotas.ts';

/** Returns the address of an account as its owner typed it. */
export const addressAsTyped = ({ email, typed_email: typed }: UserRow): string => typed ?? email;

/** Returns a user as they see themselves. */
export const presentUser = (row: UserRow): User => ({
  id: row.id,
  email: addressAsTyped(row),
  display_name: row.display_name,
  slug: row.slug,
  bio: row.bio,
  avatar_url: row.avatar_url,
  language: row.language,
  show_signatures: row.show_signatures,
  sign_in_alerts: row.sign_in_alerts,
  email_verified: row.email_verified_at !== null,
  phone_verified: row.phone_verified_at !== null,
  created_at: row.created_at,
});

/** Returns a user as everybody sees them. */
export const presentProfile = (row: PublicProfile): PublicProfile => ({
  id: row.id,
  display_name: row.display_name,
  slug: row.slug,
  bio: row.bio,
  avatar_url: row.avatar_url,
  petition_count: row.petition_count,
});

/**
 * Creates an account and sends a mail that verifies its address.
 * @throws {Problem} forbidden where sign-up is closed; validation-failed if the password is too common; rate-limited;
 *   conflict if the address is in use
 */
export async function register(
  ctx: Context,
  input: RegisterInput,
  { ip, language }: { ip: string; language: Language },
): Promise<UserRow> {
  requireOpenSignup(ctx);
  requireUncommonPassword(input.password, input);
  await ctx.limits.take(
    registrationQuota,
    networkOf(ip),
    'Too many new accounts from this address.',
  );
  const counters = verificationCounters(ctx, input.email);
  await ctx.limits.takeEach(counters, mailLimitMessage);
  const takenAt = performance.now();
  try {
    const passwordHash = await hashPassword(input.password);
    return await transaction(ctx.db, async (tx) => {
      const user = await createUser(tx, ctx.keys, {
        id: newId(),
        email: input.email,
        passwordHash,
        displayName: input.display_name.trim(),
        language,
      });
      await addMailJob(tx, 'send-verification-mail', { user_id: user.id });
      return user;
    });
  } catch (error) {
    // No mail goes out.
    await ctx.limits.giveBackEach(counters, takenAt);
    throw error;
  }
}

/** @throws {Problem} forbidden where those who run the site have closed sign-up */
export function requireOpenSignup({ site }: Pick<Context, 'site'>): void {
  if (site.current.signup === 'open') return;
  throw forbidden('New accounts cannot be opened on this site.', 'signup_closed');
}

/** The account of an address as a key of limits. */
export const accountKey = ({ keys }: Pick<Context, 'keys'>, email: string): string =>
  keys.hash('login', asciiAddress(email).toLowerCase()).toString('base64url');

/** What counts a mail that confirms a proven address again. Apart from that of verification, which strangers can use up. */
const reconfirmationCounters = (ctx: Context, email: string): Counter[] => [
  [mailQuota, `reconfirm:${mailboxKey(ctx.keys, email)}`],
];
/**
 * What counts a verification mail to an address that was never proven. By mailbox, since accounts with one address, or several, can be
 * created and erased repeatedly.
 */
const verificationCounters = (ctx: Context, email: string): Counter[] => [
  [mailQuota, `verify:${mailboxKey(ctx.keys, email)}`],
  ...countersOfAsked(ctx, { purpose: 'sign-in', email }),
];
const mailLimitMessage = 'Too many mails to this address.';

/**
 * Stores a user with a slug derived from the name.
 * @throws {Problem} conflict if the address is in use
 */
export async function createUser(
  db: Db,
  keys: Keys,
  { email: typed, ...user }: NewUser & { email: string },
): Promise<UserRow> {
  const address = readAddress(typed);
  // Who reads the mailbox has more right to it than an account that had its address before.
  const isFree = user.verified || !(await queries.isReserved(db, address.email, user.id));
  if (!isFree) throw emailInUse();
  const mailbox = mailboxOf(keys, address.email);
  for (const slug of slugCandidates(slugify(user.displayName, 'user'))) {
    const row = await queries.insertUser(db, { ...user, ...address }, mailbox, slug);
    if (row === 'email-taken') {
      throw emailInUse();
    }
    if (row) return row;
  }
  throw new Error('no free slug was found');
}

function readAddress(typed: string): Address {
  const email = asciiAddress(typed);
  return { email, typedEmail: email === typed ? null : typed };
}

const emailInUse = () =>
  conflict('email_in_use', 'This email address has an account already. Log in instead.');

export async function publicProfile(ctx: Context, slug: string): Promise<PublicProfile> {
  return presentProfile(await findPublicUser(ctx, slug));
}

/** Returns the user of a profile. @throws {Problem} not-found */
export async function findPublicUser(ctx: Context, slug: string): Promise<UserRow> {
  const user = await queries.findUserBySlug(ctx.db, slug);
  if (!user) throw notFound('user');
  return user;
}

/** Returns existing users by id, as everybody sees them. */
export async function profilesOf(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, PublicProfile>> {
  if (ids.length === 0) return new Map();
  const users = await queries.findUsers(db, ids);
  return new Map(users.map((user) => [user.id, presentProfile(user)]));
}

/**
 * Changes the caller's own account.
 * @throws {Problem} as the precondition does; forbidden for what needs a proven address
 */
export async function updateAccount(
  ctx: Context,
  caller: Caller,
  input: UserUpdateInput,
  precondition?: AccountPrecondition,
): Promise<UserRow> {
  const changes = { ...input };
  if (input.display_name !== undefined) changes.display_name = input.display_name.trim();
  if (input.notification_prefs) changes.notification_prefs = knownPrefs(input.notification_prefs);
  return transaction(ctx.db, async (tx) => {
    const before = await queries.lockUser(tx, caller.userId);
    if (!before) throw noAccount();
    precondition?.(before);
    if (changes.show_signatures && !isProven(before)) throw notProven('show_signatures');
    const user = await queries.updateUser(tx, caller.userId, changes);
    if (!user) throw noAccount();
    await pictureChanged(tx, { from: before.avatar_url, to: changes.avatar_url });
    return user;
  });
}

/**
 * Returns the user with this address if the password is correct. Takes the same time for unknown addresses
 * and wrong passwords.
 */
export async function userWithPassword(
  ctx: Context,
  email: string,
  password: string,
): Promise<UserRow | undefined> {
  const user = await findUserByEmail(ctx.db, email);
  const isCorrect = await verifyPassword(password, user?.password_hash);
  return isCorrect ? user : undefined;
}

export const findUser = queries.findUser;
export const lockUser = queries.lockUser;
export { requireUncommonPassword } from './password-rules.ts';
/** Returns the account of an address, in whichever form its domain is. */
export const findUserByEmail = (db: Db, email: string): Promise<UserRow | undefined> =>
  queries.findUserByEmail(db, asciiAddress(email));
/** Returns the account of an address, and when it was proven, in a time that does not tell whether there is one. */
export const findProof = (db: Db, email: string) => queries.findProof(db, asciiAddress(email));
export const setRole = queries.setRole;
export const renewProof = queries.renewProof;
export const emptyUser = queries.emptyUser;
export const emptyProfile = queries.emptyProfile;
export const deleteUser = queries.deleteUser;
export const adoptSlug = queries.setSlug;
/** Marks a user's address as verified; mail to it goes again after bounces. Returns false if it was verified already. */
export async function verifyAddress(
  { keys }: Pick<Context, 'keys'>,
  db: Db,
  { id, email }: Pick<UserRow, 'id' | 'email'>,
): Promise<boolean> {
  await forgetBounces(db, keys, email);
  return queries.markEmailVerified(db, id);
}

/**
 * Judges the password of an account whose owner is logged in. Returns whether it is right.
 * @throws {Problem} rate-limited after five wrong ones
 */
export const judgePassword = async (
  ctx: Context,
  { id, password_hash }: UserRow,
  password: string,
): Promise<boolean> =>
  (await ctx.limits.checkGuess(
    [[ownPasswordQuota, id]],
    'Too many wrong passwords.',
    async () => (await verifyPassword(password, password_hash)) || undefined,
  )) === true;

/**
 * Gives a user another address, which was proven. What was signed keeps the hash of the mailbox of before.
 * Fails with a unique violation of `users_email_key` if the address is in use.
 */
export async function setAddress(tx: Tx, keys: Keys, userId: string, typed: string): Promise<void> {
  const address = readAddress(typed);
  await queries.setAddress(tx, userId, address, mailboxOf(keys, address.email));
}

/** Stores whether a user is suspended. `Sessions.setSuspended` applies it to access tokens. */
export const setSuspended = queries.setSuspended;

export const setPasswordHash = queries.setPasswordHash;
export { hashPassword } from './passwords.ts';
export { registrationQuota } from './quotas.ts';

/** Stores a password, without judging it. */
export async function setPassword(ctx: Context, userId: string, password: string): Promise<void> {
  await queries.setPasswordHash(ctx.db, userId, await hashPassword(password));
}

/** Whether the owner of an account has to confirm its address: for the first time, or since mail to it came back. */
const needsVerification = async (
  { db, keys }: Pick<Context, 'db' | 'keys'>,
  { email, email_verified_at: verifiedAt }: UserRow,
): Promise<boolean> => !verifiedAt || isSilenced(db, keys, email);

/** Whether mail to the address of an account came back, or was complained about, since its owner confirmed it. */
export const isAddressSilenced = ({ db, keys }: Context, { email }: UserRow): Promise<boolean> =>
  isSilenced(db, keys, email);

/** Sends a mail with a new link, if the address is not verified yet or is silenced. */
export async function requestVerification(ctx: Context, caller: Caller): Promise<void> {
  const user = await ownAccount(ctx, caller);
  if (!(await needsVerification(ctx, user))) return;
  const countersFor = isProven(user) ? reconfirmationCounters : verificationCounters;
  await ctx.limits.takeEach(countersFor(ctx, user.email), mailLimitMessage);
  await addMailJob(ctx.db, 'send-verification-mail', { user_id: user.id });
}

/** @throws {Problem} gone if the token is unknown, used or expired */
export async function verifyEmail(ctx: Context, token: string): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    const userId = await redeemOneTimeToken(ctx, tx, 'verify-email', token);
    if (!userId) throw verificationOver();
    const user = await queries.findUser(tx, userId);
    if (user) await verifyAddress(ctx, tx, user);
    await deleteOneTimeTokens(tx, 'verify-email', userId);
  });
}

/** Returns the account that a verification link is about. @throws {Problem} gone */
export async function findUnverified(ctx: Context, token: string): Promise<UserRow> {
  const userId = await userOfOneTimeToken(ctx, 'verify-email', token);
  const user = userId && (await queries.findUser(ctx.db, userId));
  if (!user) throw verificationOver();
  return user;
}

/**
 * Erases an account that somebody else opened with the address to which the verification link was mailed, with what it wrote and signed.
 * @throws {Problem} gone if the link was used, or the address was proven since
 */
export async function disownAccount(
  ctx: Context,
  token: string,
  holders: PersonalData[],
): Promise<void> {
  const { id } = await findUnverified(ctx, token);
  await retryOn(isDeadlock, () =>
    transaction(ctx.db, async (tx) => {
      for (const { quarantine: part } of holders) {
        await part?.disown?.(tx, id);
        await part?.discard?.(tx, id);
      }
      const user = await queries.lockUser(tx, id);
      if (!user || isProven(user)) throw verificationOver();
      await eraseUser({ ...ctx, db: tx }, id, holders);
    }),
  );
  await ctx.afterCommit(async () => {
    for (const holder of holders) await holder.onErased?.();
  });
}

const verificationOver = () =>
  gone('This link was used already, or is too old. Ask for a new verification mail.');

export async function sendVerificationMail(ctx: Context, userId: string): Promise<void> {
  const user = await queries.findUser(ctx.db, userId);
  if (!user || !(await needsVerification(ctx, user))) return;
  const token = await createOneTimeToken(ctx, 'verify-email', userId);
  const link = `${ctx.config.baseUrl}/verify-email?token=${token}`;
  const kind = user.email_verified_at ? 'reconfirmation' : 'verification';
  await sendUnlessFinal(ctx, mailAboutAccount(ctx, user, accountMail(user, kind, { link })));
}

/** Says that an earlier account with the address has ended, since it was first proven elsewhere. */
export async function sendAccessEndedMail(ctx: Context, userId: string): Promise<void> {
  const user = await queries.findUser(ctx.db, userId);
  if (!user) return;
  const token = await createOneTimeToken(ctx, 'reset-password', userId);
  const link = `${ctx.config.baseUrl}/reset-password?token=${token}`;
  const earlier = `${ctx.config.baseUrl}/earlier-account`;
  await sendUnlessFinal(ctx, accountMail(user, 'access_ended', { link, earlier }));
}

/**
 * Stores an administrator whom the operator of the service names.
 * @throws {Problem} conflict if the address is in use
 */
export const createAdministrator = (
  db: Db,
  keys: Keys,
  account: Omit<NewUser, 'id' | 'role' | 'verified'> & { email: string },
): Promise<UserRow> =>
  createUser(db, keys, { ...account, id: newId(), role: 'admin', verified: true });

/**
 * Makes sure that the configured administrator exists, is not suspended, and can log in. An existing
 * account with another password gets the configured one and, by `endAccess`, loses all other access.
 */
export async function ensureAdmin(
  ctx: Context,
  { endAccess, restore }: Record<'endAccess' | 'restore', (userId: string) => Promise<void>>,
): Promise<void> {
  const { admin } = ctx.config;
  if (!admin) return;
  const user = await findUserByEmail(ctx.db, admin.email);
  if (user) {
    if (!(await verifyPassword(admin.password, user.password_hash))) {
      await setPassword(ctx, user.id, admin.password);
      await endAccess(user.id);
    }
    await queries.makeAdmin(ctx.db, user.id);
    if (user.suspended_at) await restore(user.id);
    return;
  }
  try {
    await createAdministrator(ctx.db, ctx.keys, {
      email: admin.email,
      passwordHash: await hashPassword(admin.password),
      displayName: 'Administrator',
    });
  } catch (error) {
    // Another starting process was first.
    if ((error as { code?: string }).code !== 'email_in_use') throw error;
  }
}
