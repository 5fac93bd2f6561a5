/** Trims tags and removes duplicates, ignoring case. */
export function tidyTags(tags: string[]): { tags: string[]; tagKeys: string[] } {
  const byKey = new Map<string, string>();
  for (const tag of tags.map((one) => one.trim())) {
    if (!byKey.has(tagKey(tag))) byKey.set(tagKey(tag), tag);
  }
  return { tags: [...byKey.values()], tagKeys: [...byKey.keys()] };
}

/** Returns the form by which tags are compared. */
export const tagKey = (tag: string): string => tag.replaceAll(invisible, '').trim().toLowerCase();

/** Characters that cannot be seen by themselves: two tags that differ only in these are one. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu;
