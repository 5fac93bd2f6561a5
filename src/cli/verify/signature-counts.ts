import type { Db } from '../../platform/db.ts';
import type { PetitionCheck } from './check.ts';
import { isSignatureIn, type SignatureRange } from './pages.ts';

/** The counts of a petition are its signatures plus the imported number. */
export const signatureCounts: PetitionCheck = {
  name: 'signature-counts',
  subject: 'petitions',

  async compare(tx, batch) {
    const signatures = new Map<string, { valid: number; invalid: number }>();
    for (const page of batch.signaturePages) {
      for (const { petition_id, valid, invalid } of await countSignatures(tx, page)) {
        const sum = signatures.getOrInsert(petition_id, { valid: 0, invalid: 0 });
        sum.valid += valid;
        sum.invalid += invalid;
      }
    }
    const wrong: string[] = [];
    for (const petition of batch.petitions) {
      const { id, invalid_signature_count: countedInvalid } = petition;
      const { valid, invalid } = signatures.get(id) ?? { valid: 0, invalid: 0 };
      signatures.delete(id);
      const countedValid = petition.signature_count - petition.imported_signature_count;
      if (countedValid !== valid) {
        wrong.push(`petition ${id}: counts ${countedValid} valid signatures, has ${valid}`);
      }
      if (countedInvalid !== invalid) {
        wrong.push(`petition ${id}: counts ${countedInvalid} invalid signatures, has ${invalid}`);
      }
    }
    for (const [id, { valid, invalid }] of signatures) {
      if (valid + invalid > 0) wrong.push(`petition ${id} is gone: ${valid + invalid} signatures`);
    }
    return { checked: batch.petitions.length, wrong };
  },
};

async function countSignatures(
  db: Db,
  page: SignatureRange,
): Promise<{ petition_id: string; valid: number; invalid: number }[]> {
  return db<{ petition_id: string; valid: number; invalid: number }[]>`
    select s.petition_id, count(*) filter (where s.state = 'counted')::integer as valid,
      count(*) filter (where s.state = 'invalid')::integer as invalid
    from signatures s
    where ${isSignatureIn(db, page)}
    group by s.petition_id`;
}
