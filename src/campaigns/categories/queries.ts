import type { Db, Tx } from '../../platform/db.ts';
import type { AdminCategory, CategoryInput, CategoryUpdate } from './schema.ts';

export async function findCategories(db: Db): Promise<AdminCategory[]> {
  return [...(await db<AdminCategory[]>`select id, name, slug, names from categories`)];
}

export async function categoryExists(db: Db, id: string): Promise<boolean> {
  return (await db`select from categories where id = ${id}`).length > 0;
}

/** Returns undefined if the slug is taken. */
export async function insertCategory(
  tx: Tx,
  { name, names = {} }: CategoryInput,
  slug: string,
): Promise<AdminCategory | undefined> {
  return tx.first<AdminCategory>`
    insert into categories (name, slug, names) values (${name}, ${slug}, ${tx.json(names)})
    on conflict (slug) do nothing
    returning id, name, slug, names`;
}

/** Names that are null are removed; absent ones stay. */
export async function changeCategory(
  tx: Tx,
  id: string,
  { name, names = {} }: CategoryUpdate,
): Promise<AdminCategory | undefined> {
  return tx.first<AdminCategory>`
    update categories set name = coalesce(${name ?? null}, name),
      names = jsonb_strip_nulls(names || ${tx.json(names)})
    where id = ${id} returning id, name, slug, names`;
}
