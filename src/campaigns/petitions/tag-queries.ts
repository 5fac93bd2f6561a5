import type { Db } from '../../platform/db.ts';

interface TaggedPetition {
  id: string;
  tags: string[];
  tagKeys: string[];
}

/** The next petitions in the order of their ids. */
export const readTags = (db: Db, after: string, limit: number): Promise<TaggedPetition[]> =>
  db<TaggedPetition[]>`
    select id, tags, tag_keys as "tagKeys" from petitions
    where id > ${after} order by id limit ${limit}`;

/** Stores the keys unless the tags were changed meanwhile. */
export async function setTagKeys(db: Db, { id, tags, tagKeys }: TaggedPetition): Promise<void> {
  await db`update petitions set tag_keys = ${tagKeys} where id = ${id} and tags = ${tags}`;
}
