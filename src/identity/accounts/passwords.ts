import { hash, verify } from '@node-rs/argon2';

// argon2id with the parameters of OWASP's Password Storage Cheat Sheet: 19 MiB, 2 passes, 1 lane.
const parameters = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Passwords that look the same are the same: OpaqueString of RFC 8265, section 4.2. */
const prepare = (password: string): string => password.replaceAll(/\p{Zs}/gu, ' ').normalize('NFC');

/** Returns an argon2id hash in PHC format. */
export const hashPassword = (password: string): Promise<string> =>
  hash(prepare(password), parameters);

const dummyHash = hashPassword('the password of an account that does not exist');

/**
 * Returns whether the password matches the hash. Without a hash it takes the same time and returns false,
 * so that timing does not reveal which addresses have accounts. Passwords that were set before they were prepared are
 * tried as typed too.
 */
export async function verifyPassword(
  password: string,
  passwordHash: string | null | undefined,
): Promise<boolean> {
  const expected = passwordHash ?? (await dummyHash);
  let isMatch = false;
  for (const form of new Set([prepare(password), password])) {
    isMatch = (await verify(expected, form)) || isMatch;
  }
  return isMatch && typeof passwordHash === 'string';
}
