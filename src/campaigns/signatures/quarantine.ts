import { giveRows } from '../../platform/rows-of-accounts.ts';
import type { Quarantine, QuarantinedItem } from '../../platform/slice.ts';
import { deleteSignature, proveSignatures } from './queries.ts';

/**
 * Signatures of a quarantined account go on to count, without name and comment (`selectWithSigners`), until the owner of the address says
 * that they were not theirs: then they are withdrawn. One that the owner gives takes the place of its unproven one.
 */
export const quarantinedSignatures: Quarantine = {
  list: (db, userId, limit) => db<QuarantinedItem[]>`
    select 'signature' as type, s.id, p.title as text, s.created_at
    from signatures s join petitions p on p.id = s.petition_id and p.deleted_at is null
    where s.user_id = ${userId}
    order by s.id desc limit ${limit}`,
  async release(tx, accounts) {
    await giveRows(tx, { table: 'signatures', column: 'user_id', once: ['petition_id'] }, accounts);
    await proveSignatures(tx, accounts.to);
    for (const table of ['signature_withdrawals', 'withdrawn_invalid_signatures']) {
      await giveRows(tx, { table, column: 'user_id', once: ['petition_id'] }, accounts);
    }
  },
  async disown(tx, userId) {
    const petitionIds = await tx.column<string>`
      select petition_id from signatures where user_id = ${userId} order by petition_id`;
    for (const id of petitionIds) {
      await deleteSignature(tx, id, { userId }, { type: 'user', id: userId });
    }
  },
};
