import type { Tx } from '../../platform/db.ts';
import { followerName, readState } from '../../reach/transparency-log/transparency-log.ts';
import type { DatabaseCheck, Finding } from './check.ts';
import { inSnapshot } from './snapshot.ts';

/** Differences that are described; more are counted only. */
const shownWrong = 20;

/** What the public log counts for each petition is what its entries are, and what the petition counts. */
export const transparencyLog: DatabaseCheck = {
  name: 'transparency-log',
  subject: 'petitions',
  async *run({ db }) {
    const finding = await inSnapshot(db, compareLog);
    if (finding) yield finding;
  },
};

async function compareLog(tx: Tx): Promise<Finding | undefined> {
  const state = await readState(tx);
  if (!state) return undefined;
  const { scan, hasGap, haltedBecause, edge, summedSize } = state;
  const isSummed = summedSize === edge.size;
  const isComplete = scan === null && !hasGap && haltedBecause === null;
  const rows = await comparePetitions(tx);
  const wrong = rows.flatMap(({ id, logged, imported, in_force, ...row }) => {
    const { counts, counts_imported, is_unseen } = row;
    const name = `petition ${id}`;
    if (logged !== in_force)
      return [`${name}: the log counts ${logged}, and has ${in_force} entries in force`];
    if (isSummed && (logged !== row.by_day || imported !== row.imported_by_day))
      return [
        `${name}: the log counts ${logged} + ${imported} imported, its days ${row.by_day} + ${row.imported_by_day}`,
      ];
    if (isSummed && row.wrong_undos > 0)
      return [
        `${name}: of ${row.wrong_undos} entries it is stored wrongly whether they are undone`,
      ];
    if (!isComplete || is_unseen || counts === null) return [];
    return logged === counts && imported === counts_imported
      ? []
      : [
          `${name}: counts ${counts} + ${counts_imported} imported, the log ${logged} + ${imported}`,
        ];
  });
  return {
    checked: rows.length,
    wrong: wrong.slice(0, shownWrong),
    moreWrong: Math.max(0, wrong.length - shownWrong),
    ...(!isComplete && {
      notes: ['the log was not being written, or all signatures are compared with it'],
    }),
  };
}

interface ComparedRow {
  id: string;
  /** What the log counts. */
  logged: number;
  imported: number;
  /** `sign` entries that no `undo` is in force of. */
  in_force: number;
  /** What the entries of all days come to. */
  by_day: number;
  imported_by_day: number;
  /** `sign` entries whose `undo` is stored though none is in force, or the other way round. */
  wrong_undos: number;
  /** What the petition counts; null if it is gone. */
  counts: number | null;
  counts_imported: number | null;
  /** Whether the log has not seen all of its events. */
  is_unseen: boolean;
}

/** Returns the petitions that differ, or that the log has. One pass over the entries: 3 s for ten million. */
async function comparePetitions(tx: Tx): Promise<ComparedRow[]> {
  return tx<ComparedRow[]>`
    with leaves as (
      select l.petition, count(*) filter (where not l.is_undone) as in_force,
        count(*) filter (where l.is_undone <> (u.leaf is not null)) as wrong_undos
      from transparency_leaves l left join transparency_undos u on u.leaf = l.leaf group by l.petition
    ), days as (
      select petition, sum(signs - undos + restores) as counted, sum(imported) as imported
      from transparency_days group by petition
    ), unseen as (
      select distinct e.petition_id from events e
      join event_followers f on f.name = ${followerName}
      where (e.transaction, e.position) > (f.transaction, f.position)
    )
    select coalesce(t.petition_id, p.id) as id, coalesce(t.counted, 0)::float8 as logged,
      coalesce(t.imported, 0)::float8 as imported, coalesce(l.in_force, 0)::float8 as in_force,
      coalesce(d.counted, 0)::float8 as by_day, coalesce(d.imported, 0)::float8 as imported_by_day,
      coalesce(l.wrong_undos, 0)::float8 as wrong_undos,
      (p.signature_count - p.imported_signature_count)::float8 as counts,
      p.imported_signature_count::float8 as counts_imported,
      exists (select from unseen u where u.petition_id = coalesce(t.petition_id, p.id)) as is_unseen
    from transparency_petitions t
    full join (select * from petitions where published_at is not null) p on p.id = t.petition_id
    left join leaves l on l.petition = t.number
    left join days d on d.petition = t.number
    where t.number is not null or p.signature_count > 0`;
}
