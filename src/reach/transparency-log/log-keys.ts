import { hkdfSync } from 'node:crypto';
import type { Db } from '../../platform/db.ts';
import { openLogKeys, type LogKey } from '../../platform/sealed-keys.ts';
import { createSigner, type Signer, type VerifierKey } from '../../platform/transparency/notes.ts';

/** How long a replaced key goes on signing, beside the new one. */
const overlapMs = 90 * 86_400_000;

interface LogKeys {
  /** Those that sign now, newest first; of each key an Ed25519 and an ML-DSA-44 one. */
  signers: Signer[];
  /** All that may have signed what is published. */
  verifierKeys: VerifierKey[];
}

/** Opens the keys of the log. */
export async function readLogKeys(
  db: Db,
  { secret, origin, now }: { secret: string; origin: string; now: Date },
): Promise<LogKeys> {
  const keys = await openLogKeys(db, secret);
  const signersOf = ({ key }: LogKey) => [
    createSigner(origin, 'ed25519', seedOf(key, 'ed25519')),
    createSigner(origin, 'ml-dsa-44-cosignature', seedOf(key, 'ml-dsa-44')),
  ];
  const inForce = keys.filter((_, n) => {
    const successor = keys[n - 1];
    return !successor || successor.createdAt.getTime() > now.getTime() - overlapMs;
  });
  return {
    signers: inForce.flatMap(signersOf),
    verifierKeys: keys.flatMap(signersOf).map(({ key }) => key),
  };
}

/** Opens the keys that sign the log now. */
export const readSigners = async (...input: Parameters<typeof readLogKeys>): Promise<Signer[]> =>
  (await readLogKeys(...input)).signers;

const seedOf = (key: Buffer, algorithm: string) =>
  Buffer.from(hkdfSync('sha256', key, '', `transparency-log/${algorithm}`, 32));
