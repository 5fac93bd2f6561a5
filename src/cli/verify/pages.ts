import type { Db } from '../../platform/db.ts';
import { startOfLog, type LogPosition } from '../../platform/events.ts';

/** Rows that one statement reads. */
const pageSizes = { signatures: 50_000, events: 20_000, rows: 5_000 };

export const firstUuid = '00000000-0000-0000-0000-000000000000';
export const lastUuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const lastPosition: LogPosition = {
  transaction: '18446744073709551615',
  position: '9223372036854775807',
};

/** Keys after `after`, up to and including `to`. */
export interface KeyRange<Key> {
  after: Key;
  to: Key;
}
export type IdRange = KeyRange<string>;

export const allIds: IdRange = { after: firstUuid, to: lastUuid };

/** The range of a single id. */
export function rangeOf(id: string): IdRange {
  const before = BigInt(`0x${id.replaceAll('-', '')}`) - 1n;
  const hex = before.toString(16).padStart(32, '0');
  const after = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { after, to: id };
}

/** Divides a range into pages. `endOf` returns the last key of a full page; undefined if less is left. */
async function* pagesOf<Key>(
  range: KeyRange<Key>,
  endOf: (rest: KeyRange<Key>) => Promise<Key | undefined>,
): AsyncGenerator<KeyRange<Key>> {
  let { after } = range;
  for (;;) {
    const end = await endOf({ after, to: range.to });
    yield { after, to: end ?? range.to };
    if (end === undefined) return;
    after = end;
  }
}

/** Divides a table by the column of its ids. */
export const rowPages = (db: Db, table: string, column = 'id') =>
  pagesOf(allIds, ({ after, to }) => {
    const id = db(column);
    return db.value<string | undefined>`
      select ${id} as id from ${db(table)} where ${id} > ${after} and ${id} <= ${to}
      order by ${id}
      offset ${pageSizes.rows - 1} limit 1`;
  });

/** Primary key of a signature. */
interface SignatureKey {
  petitionId: string;
  id: string;
}
export type SignatureRange = KeyRange<SignatureKey>;

/** Whether row `s` of signatures is in the range, by its primary key. */
export const isSignatureIn = (db: Db, { after, to }: SignatureRange) => db`
  ((s.petition_id, s.id) > (${after.petitionId}::uuid, ${after.id}::uuid)
    and (s.petition_id, s.id) <= (${to.petitionId}::uuid, ${to.id}::uuid))`;

/** Divides the signatures of petitions. */
export const signaturePages = (db: Db, { after, to }: IdRange) =>
  pagesOf(
    {
      after: { petitionId: after, id: lastUuid },
      to: { petitionId: to, id: lastUuid },
    },
    (rest) => db.first<SignatureKey>`
      select s.petition_id as "petitionId", s.id from signatures s
      where ${isSignatureIn(db, rest)}
      order by s.petition_id, s.id
      offset ${pageSizes.signatures - 1} limit 1`,
  );

/** Position of an event among those of its petition. */
interface PetitionEventKey extends LogPosition {
  petitionId: string;
}
export type PetitionEventRange = KeyRange<PetitionEventKey>;

/** Whether event `e` is in the range, by the index of petitions' logs, which excludes comments. */
export const isPetitionEventIn = (db: Db, { after, to }: PetitionEventRange) => db`
  (e.type <> 'comment.created'
    and (e.petition_id, e.transaction, e.position)
      > (${after.petitionId}::uuid, ${after.transaction}::xid8, ${after.position}::bigint)
    and (e.petition_id, e.transaction, e.position)
      <= (${to.petitionId}::uuid, ${to.transaction}::xid8, ${to.position}::bigint))`;

/** Divides the events of petitions. */
export const petitionEventPages = (db: Db, { after, to }: IdRange) =>
  pagesOf(
    {
      after: { petitionId: after, ...lastPosition },
      to: { petitionId: to, ...lastPosition },
    },
    (rest) => db.first<PetitionEventKey>`
      select e.petition_id as "petitionId", e.transaction::text, e.position::text from events e
      where ${isPetitionEventIn(db, rest)}
      order by e.petition_id, e.transaction, e.position
      offset ${pageSizes.events - 1} limit 1`,
  );

export type LogRange = KeyRange<LogPosition>;

/** Whether event `e` is in the range, by the primary key of the log. */
export const isEventIn = (db: Db, { after, to }: LogRange) => db`
  ((e.transaction, e.position) > (${after.transaction}::xid8, ${after.position}::bigint)
    and (e.transaction, e.position) <= (${to.transaction}::xid8, ${to.position}::bigint))`;

/** Divides the log up to a position. */
export const logPages = (db: Db, to: LogPosition, after: LogPosition = startOfLog) =>
  pagesOf(
    { after, to },
    (rest) => db.first<LogPosition>`
      select e.transaction::text, e.position::text from events e
      where ${isEventIn(db, rest)}
      order by e.transaction, e.position
      offset ${pageSizes.events - 1} limit 1`,
  );
