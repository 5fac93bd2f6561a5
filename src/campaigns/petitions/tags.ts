import type { Backfill } from '../../platform/backfills.ts';
import { unifyCharacters } from '../../platform/characters.ts';
import { invalidValue } from '../../platform/problems.ts';
import * as queries from './tag-queries.ts';

/** Trims tags and removes duplicates, as `tagKey` compares them. */
export function tidyTags(tags: string[]): { tags: string[]; tagKeys: string[] } {
  const byKey = new Map<string, string>();
  for (const tag of tags.map((one) => one.trim())) {
    if (!byKey.has(tagKey(tag))) byKey.set(tagKey(tag), tag);
  }
  return { tags: [...byKey.values()], tagKeys: [...byKey.keys()] };
}

/** Returns the form by which tags are compared. */
export const tagKey = (tag: string): string =>
  unifyCharacters(visible(tag)).replace(vowelSigns, '').trim().toLowerCase();

/** The keys by which a petition may have the tag: one that the backfill has not reached has the older key. */
export const storedTagKeys = (tag: string): string[] =>
  [...new Set([tagKey(tag), visible(tag).trim().toLowerCase()])].filter(Boolean);

/**
 * The keys by which petitions may have the tags that a query asks for, for each tag. Distinct and sorted.
 * @throws {Problem} validation-failed if both parameters are given and differ
 */
export function tagKeysAsked({
  tags,
  tag,
}: {
  tags?: string | undefined;
  tag?: string | undefined;
}): string[][] {
  const [all, others] = [tagKeysOf(tags), tagKeysOf(tag)];
  if (tags === undefined) return others;
  if (tag !== undefined && JSON.stringify(all) !== JSON.stringify(others)) {
    throw invalidValue('tag', 'These are other tags than those of tags.');
  }
  return all;
}

function tagKeysOf(list = ''): string[][] {
  const byKeys = new Map(
    list
      .split(',')
      .map(storedTagKeys)
      .map((keys) => [keys.join(), keys]),
  );
  return [...byKeys.keys()]
    .filter(Boolean)
    .toSorted()
    .map((keys) => byKeys.get(keys)!);
}

/** Two tags that differ only in characters that cannot be seen by themselves are one. */
const visible = (tag: string): string => tag.replace(/\p{Default_Ignorable_Code_Point}/gu, '');

/** Arabic vowel signs, which most texts leave out. */
const vowelSigns = /[\u064b-\u0652\u0670]/g;

const lowestId = '00000000-0000-0000-0000-000000000000';
/** Petitions that one step of the backfill reads. */
const backfillSize = 500;

/** Stores the keys of tags with one kind of apostrophes, hyphens and letters. */
export const tagKeysBackfill: Backfill = {
  name: 'petition-tag-keys',
  async step(db, cursor) {
    const petitions = await queries.readTags(db, cursor ?? lowestId, backfillSize);
    for (const { id, tags, tagKeys } of petitions) {
      const keys = [...new Set(tags.map(tagKey))];
      if (keys.join() !== tagKeys.join()) await queries.setTagKeys(db, { id, tags, tagKeys: keys });
    }
    const last = petitions.at(-1);
    return last ? { cursor: last.id, rows: petitions.length } : null;
  },
};
