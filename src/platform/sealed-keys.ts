import { hkdfSync, randomBytes } from 'node:crypto';
import { transaction, type Db, type Pool, type Tx } from './db.ts';
import { decrypt, deriveKey, encrypt, Keys, type KeyMaterial } from './keys.ts';

/** SECRET does not open the keys of the database. The message says what to do. */
export class SecretError extends Error {
  override name = 'SecretError';
}

type KeyName = keyof KeyMaterial;

const names = ['root', 'mailbox', 'log'] as const satisfies KeyName[];

/**
 * Opens the keys that the database holds, sealed by SECRET. Makes those that are missing; processes that start together
 * agree on them.
 * @throws {SecretError} if they belong to another secret; nothing is stored then
 */
export async function openKeys(db: Pool, secret: string): Promise<Keys> {
  let keys = openAll(await readSealed(db), secret);
  if (names.some((name) => !keys.has(name))) keys = await createMissing(db, secret);
  const key = (name: KeyName) => keys.get(name)!;
  return new Keys({ root: key('root'), mailbox: key('mailbox'), log: key('log') });
}

/**
 * Seals all keys by another secret. Returns false if it opens them already.
 * @throws {SecretError} if the old secret does not open them, or there are none
 */
export async function sealAgain(db: Pool, secrets: { old: string; new: string }): Promise<boolean> {
  return transaction(db, async (tx) => {
    const sealed = await readLocked(tx);
    if (sealed.size === 0) {
      throw new SecretError('The database has no keys yet: start the service once.');
    }
    if ([...sealed].every(([name, bytes]) => unseal(name, bytes, secrets.new))) return false;
    for (const [name, bytes] of sealed) {
      const key = unseal(name, bytes, secrets.old);
      if (!key) throw new SecretError('OLD_SECRET does not open the keys of this database.');
      const again = seal(name, key, secrets.new);
      await tx`update sealed_keys set sealed = ${again} where name = ${name}`;
    }
    return true;
  });
}

/** Keys as the database holds them, by name. */
export type SealedKeys = Map<string, Buffer>;

async function readSealed(db: Db): Promise<SealedKeys> {
  const rows = await db<{ name: string; sealed: Buffer }[]>`select name, sealed from sealed_keys`;
  return new Map(rows.map(({ name, sealed }) => [name, sealed]));
}

/** Also locks rows that do not exist yet, so that all keys are sealed by one secret. */
async function readLocked(tx: Tx): Promise<SealedKeys> {
  await tx`lock table sealed_keys in share row exclusive mode`;
  return readSealed(tx);
}

/** @throws {SecretError} if SECRET does not open all of them */
export function openAll(sealed: SealedKeys, secret: string): Map<string, Buffer> {
  return new Map(
    [...sealed].map(([name, bytes]) => {
      const key = unseal(name, bytes, secret);
      if (!key) throw wrongSecret();
      return [name, key];
    }),
  );
}

/** A key of the log, of which a rotation adds one. */
export interface LogKey {
  key: Buffer;
  createdAt: Date;
}

/** The first key of the log; later ones have a number behind it. */
const logKey = 'log';

/**
 * Opens the keys of the log, newest first.
 * @throws {SecretError} if they belong to another secret
 */
export async function openLogKeys(db: Db, secret: string): Promise<LogKey[]> {
  const rows = await db<{ name: string; sealed: Buffer; created_at: Date }[]>`
    select name, sealed, created_at from sealed_keys where name = ${logKey} or name like ${`${logKey}-%`}
    order by created_at desc, name desc`;
  return rows.map(({ name, sealed, created_at: createdAt }) => {
    const key = unseal(name, sealed, secret);
    if (!key) throw wrongSecret();
    return { key, createdAt };
  });
}

/** Adds a key of the log. */
export async function addLogKey(db: Db, secret: string): Promise<void> {
  await transaction(db, async (tx) => {
    const numbers = [...(await readLocked(tx)).keys()].flatMap((name) =>
      name.startsWith(`${logKey}-`) ? [Number(name.slice(logKey.length + 1))] : [],
    );
    const name = `${logKey}-${Math.max(1, ...numbers) + 1}`;
    await tx`
      insert into sealed_keys (name, sealed) values (${name}, ${seal(name, randomBytes(32), secret)})`;
  });
}

/** Replaces all keys of the log by a new one, for a log with another origin. */
export async function replaceLogKeys(tx: Tx, secret: string): Promise<void> {
  await readLocked(tx);
  await tx`delete from sealed_keys where name = ${logKey} or name like ${`${logKey}-%`}`;
  await tx`
    insert into sealed_keys (name, sealed)
    values (${logKey}, ${seal(logKey, randomBytes(32), secret)})`;
}

function createMissing(db: Pool, secret: string): Promise<Map<string, Buffer>> {
  return transaction(db, async (tx) => {
    const keys = openAll(await readLocked(tx), secret);
    for (const name of names) {
      if (keys.has(name)) continue;
      const key = (name === 'root' && (await earlierRoot(tx, secret))) || randomBytes(32);
      await tx`
        insert into sealed_keys (name, sealed) values (${name}, ${seal(name, key, secret)})`;
      keys.set(name, key);
    }
    return keys;
  });
}

/**
 * Returns SECRET if an earlier version derived its keys from it, so that what it hashed and encrypted stays valid, and
 * processes of that version can go on. Each of them has made a signing key at its start, unless there was one.
 * @throws {SecretError} if that was another SECRET
 */
async function earlierRoot(tx: Tx, secret: string): Promise<Buffer | undefined> {
  // Such a process holds this lock while it makes the first one.
  await tx`select pg_advisory_xact_lock(hashtext('signing_keys'))`;
  const signingKey = await tx.first<{ kid: string; private_sealed: Buffer }>`
    select kid, private_sealed from signing_keys order by created_at desc limit 1`;
  if (!signingKey) return undefined;
  const root = Buffer.from(secret);
  const { kid, private_sealed: sealed } = signingKey;
  if (!opened(deriveKey(root, 'signing-key', kid), sealed)) throw wrongSecret();
  return root;
}

const wrongSecret = () =>
  new SecretError(
    'SECRET does not open the keys of this database: set the one that it was used with (without the setting, that is the file `secret` in DATA_DIR). To change it, run `npm run rotate-secret`. If it is lost, see "Changing SECRET" in docs/operating.md.',
  );

/** Not among the purposes of `Keys`, whose root may be SECRET. */
const sealingKey = (name: string, secret: string) =>
  Buffer.from(hkdfSync('sha256', secret, name, 'sealed-key', 32));

const seal = (name: string, key: Buffer, secret: string) => encrypt(sealingKey(name, secret), key);

/** Returns undefined if another secret sealed the key. */
const unseal = (name: string, sealed: Buffer, secret: string) =>
  opened(sealingKey(name, secret), sealed);

function opened(key: Buffer, sealed: Buffer): Buffer | undefined {
  try {
    return decrypt(key, sealed);
  } catch {
    return undefined;
  }
}
