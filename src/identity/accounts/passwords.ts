import { hash, verify } from '@node-rs/argon2';

// argon2id with the parameters of OWASP's Password Storage Cheat Sheet: 19 MiB, 2 passes, 1 lane.
const parameters = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** argon2id hash in PHC form. */
export const hashPassword = (password: string): Promise<string> => hash(password, parameters);

const hashOfNothing = hashPassword('the password of an account that does not exist');

/**
 * Whether the password belongs to the hash. Without a hash it takes the same time and says no, so that
 * time does not tell which addresses are known.
 */
export async function verifyPassword(
  password: string,
  passwordHash: string | null | undefined,
): Promise<boolean> {
  const right = await verify(passwordHash ?? (await hashOfNothing), password);
  return right && typeof passwordHash === 'string';
}
