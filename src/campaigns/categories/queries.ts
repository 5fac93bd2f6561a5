import type { Db, Query, Tx } from '../../platform/db.ts';
import type { AdminCategory, CategoryInput, CategoryUpdate } from './schema.ts';

const columns = (db: Db): Query => db`id, name, slug, names, position, merged_into`;

/** All categories, merged ones too. */
export async function findCategories(db: Db): Promise<AdminCategory[]> {
  return [...(await db<AdminCategory[]>`select ${columns(db)} from categories`)];
}

export const categoryExists = (db: Db, id: string): Promise<boolean> =>
  db.exists`select from categories where id = ${id}`;

/** Returns the id, or that of the category that it was merged into. */
export const findCurrentId = (db: Db, id: string): Promise<string | undefined> =>
  db.value<string | undefined>`select coalesce(merged_into, id) from categories where id = ${id}`;

/** Returns undefined if the slug is taken. */
export async function insertCategory(
  tx: Tx,
  { name, names = {} }: CategoryInput,
  slug: string,
): Promise<AdminCategory | undefined> {
  return tx.first<AdminCategory>`
    insert into categories (name, slug, names) values (${name}, ${slug}, ${tx.json(names)})
    on conflict (slug) do nothing
    returning ${columns(tx)}`;
}

/** Names that are null are removed; what is absent stays. Returns undefined for a merged or unknown category. */
export async function changeCategory(
  tx: Tx,
  id: string,
  { name, names = {}, position }: CategoryUpdate,
): Promise<AdminCategory | undefined> {
  return tx.first<AdminCategory>`
    update categories set name = coalesce(${name ?? null}, name),
      names = jsonb_strip_nulls(names || ${tx.json(names)})
      ${position === undefined ? tx`` : tx`, position = ${position}`}
    where id = ${id} and merged_into is null returning ${columns(tx)}`;
}

/** Locks these categories until the transaction ends. */
export async function lockCategories(tx: Tx, ids: string[]): Promise<AdminCategory[]> {
  return tx<AdminCategory[]>`
    select ${columns(tx)} from categories where id = any(${ids}::uuid[])
    order by id for no key update`;
}

/** Marks a category as merged, and leads those that were merged into it to the other one too. */
export async function setMerged(tx: Tx, id: string, into: string): Promise<void> {
  await tx`update categories set merged_into = ${into} where id = ${id} or merged_into = ${id}`;
}
