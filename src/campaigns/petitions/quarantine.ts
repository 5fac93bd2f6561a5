import type { Db, Tx } from '../../platform/db.ts';
import { systemActor } from '../../platform/events.ts';
import { giveRows } from '../../platform/rows-of-accounts.ts';
import type { Quarantine, QuarantinedItem } from '../../platform/slice.ts';
import { lockPetitionsOfCreator } from './creator-queries.ts';
import { hideDrafts, undelete } from './transition-queries.ts';
import { removePetition, restorePetition, restorePetitionsOfCreator } from './transition.ts';

/** Petitions of a quarantined account are deleted, which can be taken back. */
export const quarantinedPetitions: Quarantine = {
  list: (db, userId, limit) => db<QuarantinedItem[]>`
    select 'petition' as type, p.id, p.title as text, p.created_at from ${hidden(db, userId)}
    order by p.created_at desc limit ${limit}`,
  async hide(tx, userId) {
    await lockPetitionsOfCreator(tx, userId);
    const published = await tx.column<string>`
      select id from petitions
      where creator_id = ${userId} and deleted_at is null and published_at is not null order by id`;
    for (const id of published) await removePetition(tx, id, systemActor);
    await hideDrafts(tx, userId);
  },
  async release(tx, accounts) {
    await lockPetitionsOfCreator(tx, accounts.from);
    const rows = await tx<{ id: string; is_published: boolean }[]>`
      select p.id, p.published_at is not null as is_published from ${hidden(tx, accounts.from)}
      order by p.id`;
    await giveRows(tx, { table: 'petitions', column: 'creator_id' }, accounts);
    for (const { id, is_published: isPublished } of rows) {
      if (isPublished) await restorePetition(tx, id, systemActor);
      else await undelete(tx, id);
    }
    // A suspension that hid them has ended: suspended accounts are not kept.
    await restorePetitionsOfCreator(tx, accounts.to, systemActor);
  },
};

/** Those that the account did not delete itself before. */
const hidden = (db: Db | Tx, userId: string) => db`
  petitions p join quarantined_accounts q
    on q.user_id = ${userId} and p.creator_id = q.user_id and p.deleted_at = q.quarantined_at`;
