import type { Db, Tx } from '../../platform/db.ts';
import type { Category } from './schema.ts';

export async function findCategories(db: Db): Promise<Category[]> {
  return [...(await db<Category[]>`select id, name, slug from categories order by lower(name)`)];
}

export async function categoryExists(db: Db, id: string): Promise<boolean> {
  return (await db`select from categories where id = ${id}`).length > 0;
}

/** Returns undefined if the slug is taken. */
export async function insertCategory(
  tx: Tx,
  name: string,
  slug: string,
): Promise<Category | undefined> {
  return tx.first<Category>`
    insert into categories (name, slug) values (${name}, ${slug})
    on conflict (slug) do nothing
    returning id, name, slug`;
}

export async function renameCategory(
  tx: Tx,
  id: string,
  name: string,
): Promise<Category | undefined> {
  return tx.first<Category>`
    update categories set name = ${name} where id = ${id} returning id, name, slug`;
}
