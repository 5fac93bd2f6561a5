import type { Context } from '../../platform/context.ts';

/** Cache groups that hold petitions. */
export const petitionGroup = 'petitions';
export const slugGroup = 'petition-slugs';
export const languageGroup = 'petition-languages';
export const listGroup = 'petition-lists';

/** Drops a new slug from the cache, which may hold that it is unknown. */
export function invalidateSlug(ctx: Context, slug: string): void {
  ctx.cache.drop(slugGroup, slug);
}

/** Drops changed petitions and all lists from this process's cache. */
export function evictPetitions(ctx: Context, ids: Iterable<string>): void {
  for (const id of ids) ctx.cache.drop(petitionGroup, id);
  ctx.cache.drop(listGroup);
}

/** Drops all petitions and lists from this process's cache. */
export function evictAllPetitions(ctx: Context): void {
  ctx.cache.drop(petitionGroup);
  ctx.cache.drop(listGroup);
}
