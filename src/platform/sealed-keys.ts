import { hkdfSync, randomBytes } from 'node:crypto';
import { transaction, type Pool, type Tx } from './db.ts';
import { decrypt, encrypt, Keys, type KeyMaterial } from './keys.ts';

/** SECRET does not open the keys of the database. The message says what to do. */
export class SecretError extends Error {
  override name = 'SecretError';
}

const names = ['root', 'mailbox', 'log'] as const satisfies (keyof KeyMaterial)[];

/**
 * Opens the keys that the database holds, sealed by SECRET. Makes those that are missing; processes that start together
 * agree on them.
 * @throws {SecretError} if they were sealed by another secret
 */
export async function openKeys(db: Pool, secret: string): Promise<Keys> {
  let sealed = await readSealed(db);
  if (names.some((name) => !sealed.has(name))) {
    await createMissing(db, secret);
    sealed = await readSealed(db);
  }
  const open = (name: keyof KeyMaterial) => unseal(name, sealed.get(name)!, secret);
  try {
    return new Keys({ root: open('root'), mailbox: open('mailbox'), log: open('log') });
  } catch (error) {
    throw new SecretError(
      'SECRET does not open the keys of this database: set the one that it was used with. To change it, run `npm run rotate-secret` (docs/operating.md).',
      { cause: error },
    );
  }
}

/**
 * Seals all keys by another secret. Returns false if it opens them already.
 * @throws {SecretError} if the old secret does not open them
 */
export async function sealAgain(db: Pool, secrets: { old: string; new: string }): Promise<boolean> {
  return transaction(db, async (tx) => {
    const sealed = await readSealed(tx, tx`for update`);
    if (sealed.size > 0 && [...sealed].every((key) => opens(...key, secrets.new))) return false;
    for (const [name, bytes] of sealed) {
      if (!opens(name, bytes, secrets.old)) {
        throw new SecretError('OLD_SECRET does not open the keys of this database.');
      }
      const again = seal(name, unseal(name, bytes, secrets.old), secrets.new);
      await tx`update sealed_keys set sealed = ${again} where name = ${name}`;
    }
    return true;
  });
}

async function readSealed(db: Pool | Tx, lock = db``): Promise<Map<string, Buffer>> {
  const rows = await db<{ name: string; sealed: Buffer }[]>`
    select name, sealed from sealed_keys ${lock}`;
  return new Map(rows.map(({ name, sealed }) => [name, sealed]));
}

async function createMissing(db: Pool, secret: string): Promise<void> {
  // Earlier versions derived all keys from SECRET: what they hashed and encrypted stays valid.
  const isFromBefore = await db.exists`
    select from signing_keys union all select from users limit 1`;
  for (const name of names) {
    const key = name === 'root' && isFromBefore ? Buffer.from(secret) : randomBytes(32);
    await db`
      insert into sealed_keys (name, sealed) values (${name}, ${seal(name, key, secret)})
      on conflict do nothing`;
  }
}

const sealingKey = (name: string, secret: string) =>
  Buffer.from(hkdfSync('sha256', secret, name, 'sealed-key', 32));

const seal = (name: string, key: Buffer, secret: string) => encrypt(sealingKey(name, secret), key);

const unseal = (name: string, sealed: Buffer, secret: string) =>
  decrypt(sealingKey(name, secret), sealed);

function opens(name: string, sealed: Buffer, secret: string): boolean {
  try {
    unseal(name, sealed, secret);
    return true;
  } catch {
    return false;
  }
}
