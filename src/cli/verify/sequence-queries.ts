import type { Db } from '../../platform/db.ts';

export interface IdentityColumn {
  table: string;
  column: string;
  sequence: string;
}

/** Columns of the service's tables whose values come from a sequence. */
export async function identityColumns(db: Db): Promise<IdentityColumn[]> {
  return db<IdentityColumn[]>`
    select c.relname as "table", a.attname as "column",
      pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where a.attidentity <> '' and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
    order by 1, 2`;
}

/** Reads the highest value of a column by its index. */
export async function highestValue(db: Db, { table, column }: IdentityColumn): Promise<string> {
  return db.value<string>`
    select coalesce(max(${db(column)}), 0)::text as highest from ${db(table)}`;
}

/** Reads the last value of a sequence; 0 if it is unused. */
export async function lastValue(db: Db, { sequence }: IdentityColumn): Promise<string> {
  return db.value<string>`
    select coalesce(pg_sequence_last_value(${sequence}::text::regclass), 0)::text as last`;
}
