/** Tags without spaces around them, each once whatever its case. */
export function tidyTags(tags: string[]): { tags: string[]; tagKeys: string[] } {
  const byKey = new Map<string, string>();
  for (const tag of tags.map((one) => one.trim())) {
    if (!byKey.has(tagKey(tag))) byKey.set(tagKey(tag), tag);
  }
  return { tags: [...byKey.values()], tagKeys: [...byKey.keys()] };
}

export const tagKey = (tag: string) => tag.trim().toLowerCase();
