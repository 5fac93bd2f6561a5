import { createHash } from 'node:crypto';
import type { Context } from '../../platform/context.ts';
import { isUuid } from '../../platform/ids.ts';
import { notFound } from '../../platform/problems.ts';
import { listCategories } from '../../campaigns/categories/categories.ts';
import type { Category } from '../../campaigns/categories/schema.ts';
import { readPublicPetitions } from '../../campaigns/petitions/list.ts';
import type { PetitionRow } from '../../campaigns/petitions/read.ts';
import { pageUrl, providerName } from '../embeds/embeds.ts';
import { toAtom, type Entry } from './atom.ts';
import { textsWrittenAt } from './queries.ts';

export type FeedName = 'new' | 'trending';

/** A feed that is written out, with its entity tag. */
export interface WrittenFeed {
  text: string;
  etag: string;
}

const entriesInAll = 50;
/** Longest summary, in characters. */
const summaryLength = 600;

const kinds = {
  new: { title: 'New petitions', sort: 'recent' },
  trending: { title: 'Trending petitions', sort: 'trending' },
} as const;

/**
 * A feed of petitions that everybody may see, of one category where one is named. Nobody pays to stand
 * first in it.
 * @throws {Problem} not-found where there is no such category
 */
export async function readFeed(
  ctx: Context,
  name: FeedName,
  ref: string | undefined,
): Promise<WrittenFeed> {
  const category = ref === undefined ? undefined : await categoryNamed(ctx, ref);
  return ctx.cache.read('feeds', `${name} ${category?.id}`, () => writeFeed(ctx, name, category));
}

async function writeFeed(
  ctx: Context,
  name: FeedName,
  category: Category | undefined,
): Promise<WrittenFeed> {
  const { title, sort } = kinds[name];
  const db = ctx.pools.replica;
  const rows = await readPublicPetitions(db, { categoryId: category?.id }, sort, entriesInAll);
  const writtenAt = await textsWrittenAt(
    db,
    rows.map(({ id }) => id),
  );
  const query = category ? `?category=${category.slug}` : '';
  const text = toAtom({
    url: `${ctx.config.baseUrl}/feeds/${name}.atom${query}`,
    title: category ? `${title}: ${category.name}` : title,
    author: providerName,
    entries: rows.map((row) => entryOf(ctx, row, writtenAt.get(row.id))),
  });
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
}

function entryOf(ctx: Context, row: PetitionRow, textWrittenAt: Date | undefined): Entry {
  const changes = [row.sort_at, row.status_since, row.closed_at, textWrittenAt];
  return {
    id: `urn:uuid:${row.id}`,
    title: row.title,
    url: pageUrl(ctx.config, row.slug),
    author: row.creator?.display_name ?? providerName,
    category: row.category && { term: row.category.slug, label: row.category.name },
    publishedAt: row.sort_at,
    updatedAt: new Date(Math.max(...changes.map((time) => time?.getTime() ?? 0))),
    summary: beginningOf(row.description),
  };
}

/** Cut between words where it is too long. */
function beginningOf(description: string): string {
  const characters = Array.from(description);
  if (characters.length <= summaryLength) return description;
  const cut = characters.slice(0, summaryLength).join('');
  return `${cut.replace(/\s+\S*$/, '')}…`;
}

async function categoryNamed(ctx: Context, ref: string): Promise<Category> {
  const categories = await listCategories(ctx);
  const id = isUuid(ref) ? ref.toLowerCase() : undefined;
  const found = categories.find((one) => one.slug === ref || one.id === id);
  if (!found) throw notFound('category');
  return found;
}
