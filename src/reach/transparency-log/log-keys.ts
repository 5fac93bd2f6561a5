import { hkdfSync } from 'node:crypto';
import type { Db } from '../../platform/db.ts';
import { openLogKeys } from '../../platform/sealed-keys.ts';
import { createSigner, type Signer } from '../../platform/transparency/notes.ts';

/** How long a replaced key goes on signing, beside the new one. */
const overlapMs = 90 * 86_400_000;

/** Opens the keys that sign the log now, newest first; of each an Ed25519 and an ML-DSA-44 one. */
export async function readSigners(
  db: Db,
  { secret, origin, now }: { secret: string; origin: string; now: Date },
): Promise<Signer[]> {
  const keys = await openLogKeys(db, secret);
  const inForce = keys.filter((_, n) => {
    const successor = keys[n - 1];
    return !successor || successor.createdAt.getTime() > now.getTime() - overlapMs;
  });
  return inForce.flatMap(({ key }) => [
    createSigner(origin, 'ed25519', seedOf(key, 'ed25519')),
    createSigner(origin, 'ml-dsa-44-cosignature', seedOf(key, 'ml-dsa-44')),
  ]);
}

const seedOf = (key: Buffer, algorithm: string) =>
  Buffer.from(hkdfSync('sha256', key, '', `transparency-log/${algorithm}`, 32));
