import { createHash } from 'node:crypto';
import feedsEn from '../../../locales/en/feeds.json' with { type: 'json' };
import type { Context } from '../../platform/context.ts';
import { plainStartOf } from '../../platform/markdown/markdown.ts';
import { catalog, plainText } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';
import { notFound } from '../../platform/problems.ts';
import {
  categoryAsked,
  languageAsked,
  findCategory,
  nameCategories,
} from '../../campaigns/categories/categories.ts';
import type { Category } from '../../campaigns/categories/schema.ts';
import { findPublicPetitions } from '../../campaigns/petitions/list.ts';
import type { PetitionRow } from '../../campaigns/petitions/read.ts';
import { pageUrl } from '../embeds/embeds.ts';
import { toAtom, type Entry } from './atom.ts';
import { textTimes } from './queries.ts';

export { toAtom, type Entry } from './atom.ts';

export type FeedName = 'new' | 'trending';

/** A rendered feed with its entity tag. */
export interface RenderedFeed {
  text: string;
  etag: string;
}

const maxEntries = 50;
const maxSummaryCharacters = 600;
/** A character may be two code units. */
const maxReadCharacters = 2 * maxSummaryCharacters + 2;

/** Titles of the feeds. */
const feedTexts = catalog('feeds', feedsEn);

const sorts = { new: 'recent', trending: 'trending' } as const;

/**
 * Returns a feed of public petitions, optionally of one category. Promoted petitions are not moved to the
 * front.
 * @throws {Problem} not-found if the category does not exist
 */
export async function readFeed(
  ctx: Context,
  name: FeedName,
  { lang, ...query }: { category?: string; categoryId?: string; lang?: string },
): Promise<RenderedFeed> {
  const language = languageAsked(lang) ?? 'en';
  const ref = query.category ?? query.categoryId;
  const category = ref === undefined ? undefined : await findCategory(ctx, ref, language);
  if (ref !== undefined && !category) throw notFound('category');
  if (category) await categoryAsked(ctx, query);
  return ctx.cache.read('feeds', `${name} ${language} ${category?.id}`, () =>
    renderFeed(ctx, { name, category, language }),
  );
}

/** Adds the entity tag to a feed. */
export const withTag = (text: string): RenderedFeed => ({
  text,
  etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`,
});

interface FeedOptions {
  name: FeedName;
  category: Category | undefined;
  language: Language;
}

async function renderFeed(
  ctx: Context,
  { name, category, language }: FeedOptions,
): Promise<RenderedFeed> {
  const title = plainText(feedTexts, language, name);
  const db = ctx.pools.replica;
  const filter = { categoryId: category?.id };
  const found = await findPublicPetitions(db, filter, sorts[name], maxEntries);
  const rows = await nameCategories(ctx, found, language);
  const textTimeOf = await textTimes(
    db,
    rows.map(({ id }) => id),
  );
  const query = new URLSearchParams({
    ...(category && { category: category.slug }),
    ...(language !== 'en' && { lang: language }),
  }).toString();
  const text = toAtom({
    url: `${ctx.config.baseUrl}/feeds/${name}.atom${query && `?${query}`}`,
    title: category ? `${title}: ${category.name}` : title,
    language,
    author: ctx.site.current.name,
    entries: rows.map((row) => entryOf(ctx, row, textTimeOf.get(row.id))),
  });
  return withTag(text);
}

function entryOf(ctx: Context, row: PetitionRow, textTime: Date | undefined): Entry {
  const changes = [row.sort_at, row.status_since, row.closed_at, textTime];
  return {
    id: `urn:uuid:${row.id}`,
    title: row.title,
    language: row.language,
    url: pageUrl(ctx.config, row.slug),
    author: row.creator?.display_name ?? ctx.site.current.name,
    category: row.category && { term: row.category.slug, label: row.category.name },
    publishedAt: row.sort_at,
    updatedAt: new Date(Math.max(...changes.map((time) => time?.getTime() ?? 0))),
    summary: summaryOf(row.description),
  };
}

/** The start of a text without marks, cut between words. */
function summaryOf(description: string): string {
  const plain = plainStartOf(description, maxReadCharacters);
  const characters = Array.from(plain);
  if (characters.length <= maxSummaryCharacters) return plain;
  const cut = characters.slice(0, maxSummaryCharacters).join('');
  return `${cut.replace(/\s+\S*$/, '')}…`;
}
