import type { Db } from '../../platform/db.ts';
import type { DatabaseCheck } from './check.ts';

/** No sequence is behind its column, which would assign a number twice. */
export const sequences: DatabaseCheck = {
  name: 'sequences',
  subject: 'sequences',

  async *run({ db, log }) {
    for (const identity of await identityColumns(db)) {
      const { table, column } = identity;
      // The log has no index of positions, and has been read already.
      const highest = table === 'events' ? log.maxPosition : await highestValue(db, identity);
      // Read after the column: sequences are not part of a snapshot, and only grow.
      const last = await lastValue(db, identity);
      const wrong =
        last < highest ? [`${table}.${column} has ${highest}, its sequence is at ${last}`] : [];
      yield { checked: 1, wrong };
    }
  },
};

interface IdentityColumn {
  table: string;
  column: string;
  sequence: string;
}

/** Reads the columns of the service's tables whose values come from a sequence. */
async function identityColumns(db: Db): Promise<IdentityColumn[]> {
  return db<IdentityColumn[]>`
    select c.relname as "table", a.attname as "column",
      pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where a.attidentity <> '' and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
    order by 1, 2`;
}

/** Reads the highest value of a column by its index. */
async function highestValue(db: Db, { table, column }: IdentityColumn): Promise<bigint> {
  return BigInt(
    await db.value<string>`
      select coalesce(max(${db(column)}), 0)::text as highest from ${db(table)}`,
  );
}

/** Reads the last value of a sequence; 0 if it is unused. */
async function lastValue(db: Db, { sequence }: IdentityColumn): Promise<bigint> {
  return BigInt(
    await db.value<string>`
      select coalesce(pg_sequence_last_value(${sequence}::text::regclass), 0)::text as last`,
  );
}
