import { isUniqueViolation, type Db, type Query, type Tx } from '../../platform/db.ts';
import type { UserRole } from '../../platform/http/route.ts';
import type { Language } from '../../platform/pages/language.ts';
import type { Mailbox } from './mailboxes.ts';
import type { NotificationPrefsInput } from './schema.ts';

export interface UserRow {
  id: string;
  /** The domain is in ASCII. */
  email: string;
  /** As it was typed, where its domain is in Unicode. */
  typed_email: string | null;
  password_hash: string | null;
  display_name: string;
  slug: string;
  bio: string | null;
  avatar_url: string | null;
  role: UserRole;
  /** Of mails. */
  language: Language;
  /** Whether the profile lists signatures. */
  show_signatures: boolean;
  /** Whether sign-ins from a new device and country are mailed. */
  sign_in_alerts: boolean;
  email_verified_at: Date | null;
  phone: string | null;
  phone_verified_at: Date | null;
  /** Only what the user has set. */
  notification_prefs: NotificationPrefsInput &
    Required<Pick<NotificationPrefsInput, 'in_app' | 'email'>>;
  petition_count: number;
  suspended_at: Date | null;
  created_at: Date;
}

/** SQL expression: the row `u` of users as a PublicProfile, by another name where one is given. */
export const profileOfUser = (db: Db, name: Query = db`u.display_name`) => db`
  json_build_object('id', u.id, 'display_name', ${name}, 'slug', u.slug, 'bio', u.bio,
    'avatar_url', u.avatar_url, 'petition_count', u.petition_count)`;

export async function findUser(db: Db, id: string): Promise<UserRow | undefined> {
  return db.first<UserRow>`select * from users where id = ${id}`;
}

/** Returns the user, locked until the transaction ends. */
export async function lockUser(tx: Tx, id: string): Promise<UserRow | undefined> {
  return tx.first<UserRow>`select * from users where id = ${id} for no key update`;
}

/** Returns the user, to whom nobody can give anything until the transaction ends. */
export async function lockUserForErasure(tx: Tx, id: string): Promise<UserRow | undefined> {
  return tx.first<UserRow>`select * from users where id = ${id} for update`;
}

/** Returns the user for the account's export, with the phone that waits for its code. */
export async function exportUser(db: Db, id: string): Promise<{ email: string } | undefined> {
  return db.first<{ email: string }>`
    select u.id, u.email, u.typed_email, u.email_verified_at, u.has_canonical_address, u.has_disposable_address,
      u.display_name, u.slug, u.bio, u.avatar_url, u.language, u.show_signatures, u.sign_in_alerts, u.role,
      u.phone, u.phone_verified_at, v.phone as unverified_phone, u.notification_prefs, u.petition_count, u.suspended_at,
      u.created_at
    from users u left join phone_verifications v on v.user_id = u.id
    where u.id = ${id}`;
}

export async function findUsers(db: Db, ids: readonly string[]): Promise<UserRow[]> {
  return db<UserRow[]>`select * from users where id = any(${ids}::uuid[])`;
}

export async function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  return db.first<UserRow>`select * from users where lower(email) = lower(${email})`;
}

/** Returns the account of an address, as a row of nulls if there is none: in the same time. */
export const findProof = (
  db: Db,
  email: string,
): Promise<{ id: string | null; email_verified_at: Date | null }> =>
  db.one`
    select u.id, u.email_verified_at
    from (values (1)) as always left join users u on lower(u.email) = lower(${email})`;

export async function findUserBySlug(db: Db, slug: string): Promise<UserRow | undefined> {
  return db.first<UserRow>`select * from users where slug = ${slug}`;
}

/** An address of an account: with its domain in ASCII, and as it was typed where that differs. */
export interface Address {
  email: string;
  typedEmail: string | null;
}

export interface NewUser {
  id: string;
  passwordHash: string | null;
  displayName: string;
  /** Of mails; English if absent. */
  language?: Language;
  role?: UserRole;
  verified?: boolean;
}

/** Stores the user. Returns undefined if the slug is taken, or waits for the owner of an earlier account; 'email-taken' if the address is. */
export async function insertUser(
  db: Db,
  user: NewUser & Address,
  mailbox: Mailbox,
  slug: string,
): Promise<UserRow | 'email-taken' | undefined> {
  try {
    return await db.first<UserRow>`
      insert into users (id, email, typed_email, password_hash, display_name, slug, role, language,
        email_verified_at, mailbox, mail_domain, has_canonical_address, has_disposable_address)
      select ${user.id}, ${user.email}, ${user.typedEmail}, ${user.passwordHash}, ${user.displayName}, ${slug},
        ${user.role ?? 'user'}, ${user.language ?? 'en'}, ${user.verified ? db`now()` : null},
        ${mailbox.mailbox},
        ${mailbox.mail_domain}, ${mailbox.has_canonical_address}, ${mailbox.has_disposable_address}
      where not exists (select from quarantined_accounts where slug = ${slug})
      on conflict (slug) do nothing
      returning *`;
  } catch (error) {
    if (isUniqueViolation(error, 'users_email_key')) return 'email-taken';
    throw error;
  }
}

/** Whether an address was that of another account within seven days, which can still take its change back. */
export const isReserved = (db: Db, email: string, userId: string): Promise<boolean> =>
  db.exists`
    select from address_changes
    where lower(old_email) = lower(${email}) and user_id <> ${userId}
      and confirmed_at is not null and undone_at is null
      and confirmed_at > now() - interval '7 days'`;

export interface UserChanges {
  display_name?: string;
  bio?: string | null;
  avatar_url?: string | null;
  language?: Language;
  show_signatures?: boolean;
  sign_in_alerts?: boolean;
  notification_prefs?: NotificationPrefsInput;
}

/** Updates the given columns and preferences. Returns undefined if the user does not exist. */
export async function updateUser(
  db: Db,
  id: string,
  changes: UserChanges,
): Promise<UserRow | undefined> {
  const { display_name, bio, avatar_url, language, show_signatures } = changes;
  const { sign_in_alerts, notification_prefs: prefs = {} } = changes;
  return db.first<UserRow>`
    update users set
      display_name = coalesce(${display_name ?? null}, display_name),
      bio = case when ${bio !== undefined} then ${bio ?? null} else bio end,
      avatar_url = case when ${avatar_url !== undefined} then ${avatar_url ?? null}
        else avatar_url end,
      language = coalesce(${language ?? null}, language),
      show_signatures = coalesce(${show_signatures ?? null}, show_signatures),
      sign_in_alerts = coalesce(${sign_in_alerts ?? null}, sign_in_alerts),
      notification_prefs = notification_prefs || jsonb_build_object(
        'in_app', notification_prefs -> 'in_app' || ${db.json(prefs.in_app ?? {})},
        'email', notification_prefs -> 'email' || ${db.json(prefs.email ?? {})})
        || ${db.json(prefs.queue_mail ? { queue_mail: prefs.queue_mail } : {})}
    where id = ${id}
    returning *`;
}

/** Returns those of the URLs that are the picture of an account, quarantined ones included; of another one than `except`, if given. */
export const shownAvatars = (db: Db, urls: string[], except?: string): Promise<string[]> =>
  db.column<string>`
    select avatar_url from users
    where avatar_url = any(${urls}) and avatar_url is not null
      ${except === undefined ? db`` : db`and id <> ${except}`}
    union
    select avatar_url from quarantined_accounts
    where avatar_url = any(${urls}) and avatar_url is not null`;

/** Returns the next pictures of accounts, in order and each once. */
export const listAvatars = (db: Db, after: string, limit: number): Promise<string[]> =>
  db.column<string>`
    (select distinct avatar_url from users where avatar_url > ${after} order by avatar_url limit ${limit})
    union
    (select distinct avatar_url from quarantined_accounts where avatar_url > ${after} order by avatar_url limit ${limit})
    order by avatar_url limit ${limit}`;

export async function setPasswordHash(db: Db, id: string, hash: string | null): Promise<void> {
  await db`update users set password_hash = ${hash} where id = ${id}`;
}

export async function makeAdmin(db: Db, id: string): Promise<void> {
  await db`
    update users set role = 'admin', suspended_at = null, email_verified_at = coalesce(email_verified_at, now())
    where id = ${id}`;
}

/** Returns false if the user does not exist or has this state already. */
export async function setSuspended(tx: Tx, id: string, suspended: boolean): Promise<boolean> {
  return tx.changed`
    update users set suspended_at = ${suspended ? tx`now()` : null}
    where id = ${id} and (suspended_at is not null) <> ${suspended}`;
}

export async function setRole(tx: Tx, id: string, role: UserRole): Promise<void> {
  await tx`update users set role = ${role} where id = ${id}`;
}

/** Marks a user's address as verified. Returns false if it was already. */
export async function markEmailVerified(db: Db, id: string): Promise<boolean> {
  return db.changed`
    update users set email_verified_at = now() where id = ${id} and email_verified_at is null`;
}

/** Stores that a proven address was proven again by who takes the account back. */
export async function renewProof(db: Db, id: string): Promise<void> {
  await db`
    update users set email_verified_at = clock_timestamp()
    where id = ${id} and email_verified_at is not null`;
}

/** Stores an address as the user's own, proven one. Fails with a unique violation if it is in use. */
export async function setAddress(
  tx: Tx,
  userId: string,
  { email, typedEmail }: Address,
  mailbox: Mailbox,
): Promise<void> {
  await tx`
    update users set email = ${email}, typed_email = ${typedEmail}, email_verified_at = now(), mailbox = ${mailbox.mailbox},
      mail_domain = ${mailbox.mail_domain}, has_canonical_address = ${mailbox.has_canonical_address},
      has_disposable_address = ${mailbox.has_disposable_address}
    where id = ${userId}`;
}

/**
 * Takes from an unproven account its address, slug, profile and ways to log in. Returns false if the address was proven, or taken,
 * meanwhile.
 */
export const emptyUser = (
  tx: Tx,
  { id, email }: Pick<UserRow, 'id' | 'email'>,
  { email: placeholder, slug, name }: { email: string; slug: string; name: string },
): Promise<boolean> =>
  tx.changed`
    update users set email = ${placeholder}, typed_email = null, password_hash = null, slug = ${slug},
      display_name = ${name}, bio = null, avatar_url = null, show_signatures = false, phone = null, phone_verified_at = null
    where id = ${id} and email = ${email} and email_verified_at is null`;

/** Takes from an account what its owner can set of it, and its password. */
export async function emptyProfile(tx: Tx, id: string, name: string): Promise<void> {
  await tx`
    update users set password_hash = null, email_verified_at = null, display_name = ${name}, bio = null, avatar_url = null,
      show_signatures = false, phone = null, phone_verified_at = null
    where id = ${id}`;
}

/** Gives a user the profile, and the role, of an account that was theirs. Of what they have themselves, that stays. */
export async function adoptProfile(
  tx: Tx,
  id: string,
  {
    display_name,
    bio,
    avatar_url,
    role,
  }: Pick<UserRow, 'display_name' | 'bio' | 'avatar_url' | 'role'>,
  unnamed: readonly string[],
): Promise<void> {
  await tx`
    update users set
      display_name = case when display_name = any(${unnamed}) then ${display_name} else display_name end,
      bio = coalesce(bio, ${bio}), avatar_url = coalesce(avatar_url, ${avatar_url}),
      role = case when role = 'user' then ${role} else role end
    where id = ${id}`;
}

/** Gives a user another slug, unless it is taken. */
export async function setSlug(tx: Tx, id: string, slug: string): Promise<void> {
  await tx`
    update users set slug = ${slug}
    where id = ${id} and not exists (select from users where slug = ${slug})`;
}

export async function deleteUser(tx: Tx, id: string): Promise<void> {
  await tx`delete from users where id = ${id}`;
}

export async function startPhoneVerification(db: Db, userId: string, phone: string): Promise<void> {
  await db`
    insert into phone_verifications (user_id, phone, expires_at)
    values (${userId}, ${phone}, now() + interval '10 minutes')
    on conflict (user_id) do update
      set phone = excluded.phone, code_hash = null, tries = 0, expires_at = excluded.expires_at`;
}

/** Stores the hash of a new code. Returns the phone to verify, or undefined if none is pending. */
export async function setPhoneCode(
  db: Db,
  userId: string,
  codeHash: Buffer,
): Promise<string | undefined> {
  return db.value<string | undefined>`
    update phone_verifications
    set code_hash = ${codeHash}, tries = 0, expires_at = now() + interval '10 minutes'
    where user_id = ${userId} and expires_at > now()
    returning phone`;
}

export async function countPhoneAttempt(db: Db, userId: string): Promise<void> {
  await db`
    update phone_verifications set tries = least(tries + 1, 100) where user_id = ${userId}`;
}

/** Confirms the phone that the code was sent to. Returns false if the code is wrong or expired. */
export async function confirmPhone(db: Db, userId: string, codeHash: Buffer): Promise<boolean> {
  return db.changed`
    with confirmed as (
      delete from phone_verifications
      where user_id = ${userId} and code_hash = ${codeHash} and tries <= 5 and expires_at > now()
      returning phone
    )
    update users set phone = confirmed.phone, phone_verified_at = now()
    from confirmed where users.id = ${userId}`;
}
