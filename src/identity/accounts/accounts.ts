import { randomInt } from 'node:crypto';
import type { Context } from '../../platform/context.ts';
import { transaction, type Db } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { addJob } from '../../platform/jobs.ts';
import {
  conflict,
  forbidden,
  gone,
  notFound,
  unauthorized,
  validationFailed,
} from '../../platform/problems.ts';
import type { PersonalData } from '../../platform/slice.ts';
import { slugCandidates, slugify } from '../../platform/slug.ts';
import { createOneTimeToken, dropOneTimeTokens, redeemOneTimeToken } from './one-time-tokens.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import * as queries from './queries.ts';
import type { NewUser, UserRow } from './queries.ts';
import type { PublicProfile, RegisterInput, User, UserUpdateInput } from './schema.ts';

export type { UserRow } from './queries.ts';
export { createOneTimeToken, dropOneTimeTokens, redeemOneTimeToken } from './one-time-tokens.ts';

/** A user as they see themselves. */
export const presentUser = (row: UserRow): User => ({
  id: row.id,
  email: row.email,
  display_name: row.display_name,
  slug: row.slug,
  bio: row.bio,
  avatar_url: row.avatar_url,
  email_verified: row.email_verified_at !== null,
  phone_verified: row.phone_verified_at !== null,
  created_at: row.created_at,
});

/** A user as everybody sees them. */
export const presentProfile = (row: Omit<PublicProfile, never>): PublicProfile => ({
  id: row.id,
  display_name: row.display_name,
  slug: row.slug,
  bio: row.bio,
  avatar_url: row.avatar_url,
  petition_count: row.petition_count,
});

/** Opens an account and has a mail sent that verifies its address. */
export async function register(ctx: Context, input: RegisterInput): Promise<UserRow> {
  const passwordHash = await hashPassword(input.password);
  return transaction(ctx.db, async (tx) => {
    const user = await createUser(tx, {
      id: newId(),
      email: input.email,
      passwordHash,
      displayName: input.display_name.trim(),
    });
    await addJob(tx, 'send-verification-mail', { user_id: user.id });
    return user;
  });
}

/**
 * Stores a user under a slug made from the name.
 * @throws {Problem} conflict where the address is in use
 */
export async function createUser(db: Db, user: NewUser): Promise<UserRow> {
  for (const slug of slugCandidates(slugify(user.displayName, 'user'))) {
    const row = await queries.insertUser(db, user, slug);
    if (row === 'email-taken') {
      throw conflict('email_in_use', 'This email address has an account already. Log in instead.');
    }
    if (row) return row;
  }
  throw new Error('no free slug was found');
}

/** @throws {Problem} unauthorized where the account was erased since the token was made */
export async function ownAccount(ctx: Context, caller: Caller): Promise<UserRow> {
  const user = await queries.findUser(ctx.db, caller.userId);
  if (!user) throw unauthorized('This account no longer exists.');
  return user;
}

export async function publicProfile(ctx: Context, slug: string): Promise<PublicProfile> {
  const user = await queries.findUserBySlug(ctx.db, slug);
  if (!user) throw notFound('user');
  return presentProfile(user);
}

export async function updateAccount(
  ctx: Context,
  caller: Caller,
  input: UserUpdateInput,
): Promise<UserRow> {
  const changes = { ...input };
  if (input.display_name !== undefined) changes.display_name = input.display_name.trim();
  const user = await queries.updateUser(ctx.db, caller.userId, changes);
  if (user) return user;
  await ownAccount(ctx, caller);
  throw validationFailed({
    field: 'notification_prefs',
    message: 'All preferences together may take 16 KB.',
    code: 'too_big',
  });
}

/**
 * The user with this address, if the password is theirs.
 * Takes the same time for unknown addresses and wrong passwords.
 */
export async function userWithPassword(
  ctx: Context,
  email: string,
  password: string,
): Promise<UserRow | undefined> {
  const user = await queries.findUserByEmail(ctx.db, email);
  const right = await verifyPassword(password, user?.password_hash);
  return right ? user : undefined;
}

export const findUser = queries.findUser;
export const findUserByEmail = queries.findUserByEmail;

export async function setPassword(ctx: Context, userId: string, password: string): Promise<void> {
  await queries.setPasswordHash(ctx.db, userId, await hashPassword(password));
}

/** Lets a mail with a new link go out, to an address that is not verified yet. */
export async function requestVerification(ctx: Context, caller: Caller): Promise<void> {
  const user = await ownAccount(ctx, caller);
  if (user.email_verified_at) return;
  await ctx.limits.take('mail-to-account', `verify:${user.id}`);
  await addJob(ctx.db, 'send-verification-mail', { user_id: user.id });
}

/** @throws {Problem} gone where the token is unknown, used or old */
export async function verifyEmail(ctx: Context, token: string): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    const userId = await redeemOneTimeToken(ctx, tx, 'verify-email', token);
    if (!userId) {
      throw gone('This link was used already, or is too old. Ask for a new verification mail.');
    }
    await queries.markEmailVerified(tx, userId);
    await dropOneTimeTokens(tx, 'verify-email', userId);
  });
}

export async function sendVerificationMail(ctx: Context, userId: string): Promise<void> {
  const user = await queries.findUser(ctx.db, userId);
  if (!user || user.email_verified_at) return;
  const token = await createOneTimeToken(ctx, 'verify-email', userId);
  await ctx.mail.send({
    to: user.email,
    subject: 'Confirm your email address',
    text: `Somebody, hopefully you, opened an account with this address.

To confirm it, open this link within 24 hours:

${ctx.config.baseUrl}/verify-email?token=${token}

If it was not you, ignore this mail.
`,
  });
}

/** Lets a text with a code go to the phone, which must be confirmed within 10 minutes. */
export async function requestPhoneCode(ctx: Context, caller: Caller, phone: string): Promise<void> {
  await ctx.limits.take('mail-to-account', `phone:${caller.userId}`);
  await transaction(ctx.db, async (tx) => {
    await queries.startPhoneVerification(tx, caller.userId, phone);
    await addJob(tx, 'send-phone-code', { user_id: caller.userId });
  });
}

export async function sendPhoneCode(ctx: Context, userId: string): Promise<void> {
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  const phone = await queries.setPhoneCode(
    ctx.db,
    userId,
    ctx.keys.hash('phone-code', userId, code),
  );
  if (phone) await ctx.sms.send({ to: phone, text: `Your confirmation code is ${code}.` });
}

/** @throws {Problem} validation-failed for a wrong or old code, and for any after five tries */
export async function verifyPhone(ctx: Context, caller: Caller, code: string): Promise<void> {
  const codeHash = ctx.keys.hash('phone-code', caller.userId, code);
  // Counted on its own, so that a failure does not take the count back.
  await queries.countPhoneTry(ctx.pools.main, caller.userId);
  if (await queries.confirmPhone(ctx.db, caller.userId, codeHash)) return;
  throw validationFailed({
    field: 'code',
    message: 'This code is wrong or too old. Ask for a new one after five tries.',
    code: 'invalid_value',
  });
}

/** All that the service holds about the caller, one member for each slice that holds something. */
export async function exportPersonalData(
  ctx: Context,
  caller: Caller,
  holders: PersonalData[],
): Promise<Record<string, unknown>> {
  const { password_hash: _, ...account } = await ownAccount(ctx, caller);
  const parts = holders.map(
    async (holder) => [holder.name, await holder.export(ctx.db, caller.userId)] as const,
  );
  return { account, ...Object.fromEntries(await Promise.all(parts)) };
}

/**
 * Erases the account: every slice removes or anonymises what it holds, then the user goes.
 * @throws {Problem} forbidden where the password is wrong
 */
export async function eraseAccount(
  ctx: Context,
  caller: Caller,
  password: string,
  holders: PersonalData[],
): Promise<void> {
  const user = await ownAccount(ctx, caller);
  await ctx.limits.check('login-account', user.id, 'Too many wrong passwords.');
  if (!(await verifyPassword(password, user.password_hash))) {
    await ctx.limits.count('login-account', user.id);
    throw forbidden('The password is wrong.');
  }
  // Of guesses that are sent all at once, none passes after the fifth that failed.
  await ctx.limits.check('login-account', user.id, 'Too many wrong passwords.');
  await transaction(ctx.db, async (tx) => {
    await queries.lockUser(tx, user.id);
    for (const holder of holders) await holder.erase(tx, user.id);
    await queries.deleteUser(tx, user.id);
  });
  await ctx.afterCommit(async () => {
    for (const holder of holders) await holder.erased?.();
  });
}

/**
 * Makes sure that the administrator of the settings exists and can log in. Whoever had an account
 * under that address with another password loses it, and is logged out by `endSessions`.
 */
export async function ensureAdmin(
  ctx: Context,
  endSessions: (userId: string) => Promise<void>,
): Promise<void> {
  const { admin } = ctx.config;
  if (!admin) return;
  const user = await queries.findUserByEmail(ctx.db, admin.email);
  if (user) {
    if (!(await verifyPassword(admin.password, user.password_hash))) {
      await setPassword(ctx, user.id, admin.password);
      await endSessions(user.id);
    }
    await queries.makeAdmin(ctx.db, user.id);
    return;
  }
  try {
    await createUser(ctx.db, {
      id: newId(),
      email: admin.email,
      passwordHash: await hashPassword(admin.password),
      displayName: 'Administrator',
      role: 'admin',
      verified: true,
    });
  } catch (error) {
    // Another process that starts at the same moment was first.
    if ((error as { code?: string }).code !== 'email_in_use') throw error;
  }
}
