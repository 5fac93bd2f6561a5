import { recordAdminAction } from '../../platform/audit.ts';
import type { Context } from '../../platform/context.ts';
import { isUniqueViolation, transaction } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { isUuid } from '../../platform/ids.ts';
import { isLanguage, type Language } from '../../platform/pages/language.ts';
import { conflict, invalidValue, notFound } from '../../platform/problems.ts';
import { slugCandidates, slugify } from '../../platform/slug.ts';
import * as queries from './queries.ts';
import type { AdminCategory, Category, CategoryInput, CategoryUpdate } from './schema.ts';

const cacheGroup = 'categories';

/** Returns the categories with their names in a language, ordered by them. */
export function listCategories(ctx: Context, language: Language = 'en'): Promise<Category[]> {
  return ctx.cache.read(cacheGroup, language, async () => {
    const collator = new Intl.Collator(language);
    return (await allCategories(ctx))
      .map(({ id, name, slug, names }) => ({ id, name: names[language] ?? name, slug }))
      .toSorted((a, b) => collator.compare(a.name, b.name));
  });
}

const allCategories = (ctx: Context): Promise<AdminCategory[]> =>
  ctx.cache.read(cacheGroup, 'all', () => queries.findCategories(ctx.db));

/** The language of the pages that a tag of BCP 47 asks for: `de` for de-AT. Undefined for English and for unknown ones. */
export function languageAsked(tag: string | undefined): Language | undefined {
  const language = [tag, tag?.toLowerCase().split('-')[0]].find(isLanguage);
  return language === 'en' ? undefined : language;
}

/** Returns records with the names of their categories in a language. Reads nothing for English, in which they are. */
export async function nameCategories<T extends { category: Category | null }>(
  ctx: Context,
  records: T[],
  language: Language | undefined,
): Promise<T[]> {
  if (!language || language === 'en' || !records.some(({ category }) => category)) return records;
  const categories = await listCategories(ctx, language);
  const byId = new Map(categories.map((category) => [category.id, category]));
  return records.map((record) => ({
    ...record,
    category: record.category && (byId.get(record.category.id) ?? record.category),
  }));
}

/** As `nameCategories`, of one record. */
export async function nameCategory<T extends { category: Category | null }>(
  ctx: Context,
  record: T,
  language: Language | undefined,
): Promise<T> {
  const [renamed] = await nameCategories(ctx, [record], language);
  return renamed!;
}

/**
 * Returns the id of the category by which a query filters. An unknown id is returned too: it selects nothing.
 * @throws {Problem} validation-failed for an unknown slug, or if both parameters are given and differ
 */
export async function categoryAsked(
  ctx: Context,
  { category, categoryId }: { category?: string | undefined; categoryId?: string | undefined },
): Promise<string | undefined> {
  const ids = [
    await findCategoryId(ctx, 'categoryId', categoryId),
    await findCategoryId(ctx, 'category', category),
  ].filter((id) => id !== undefined);
  if (new Set(ids).size > 1) {
    throw invalidValue('category', 'This is another category than that of categoryId.');
  }
  return ids[0];
}

async function findCategoryId(
  ctx: Context,
  field: string,
  ref: string | undefined,
): Promise<string | undefined> {
  if (ref === undefined) return undefined;
  if (isUuid(ref)) return ref.toLowerCase();
  const category = (await allCategories(ctx)).find(({ slug }) => slug === ref);
  if (!category) throw invalidValue(field, 'There is no such category.');
  return category.id;
}

export async function categoryExists(ctx: Context, id: string): Promise<boolean> {
  return queries.categoryExists(ctx.db, id);
}

/** @throws {Problem} conflict if the name is taken */
export async function addCategory(
  ctx: Context,
  caller: Caller,
  input: CategoryInput,
): Promise<AdminCategory> {
  const name = input.name.trim();
  const names = trimNames(input.names);
  const category = await rejectTakenName(() =>
    transaction(ctx.db, async (tx) => {
      for (const slug of slugCandidates(slugify(name, 'category'))) {
        const added = await queries.insertCategory(tx, { name, names }, slug);
        if (!added) continue;
        await recordAdminAction(tx, {
          actorId: caller.userId,
          action: 'category.create',
          targetType: 'category',
          targetId: added.id,
          details: auditDetails({ name, names }),
        });
        return added;
      }
      throw new Error('no free slug was found');
    }),
  );
  ctx.cache.drop(cacheGroup);
  return category;
}

/**
 * Changes names of a category. Its slug stays.
 * @throws {Problem} not-found, or conflict if the name is taken
 */
export async function renameCategory(
  ctx: Context,
  caller: Caller,
  id: string,
  input: CategoryUpdate,
): Promise<AdminCategory> {
  const changes = { name: input.name?.trim(), names: trimNames(input.names) };
  const category = await rejectTakenName(() =>
    transaction(ctx.db, async (tx) => {
      const renamed = await queries.changeCategory(tx, id, changes);
      if (!renamed) throw notFound('category');
      await recordAdminAction(tx, {
        actorId: caller.userId,
        action: 'category.rename',
        targetType: 'category',
        targetId: id,
        details: auditDetails(changes),
      });
      return renamed;
    }),
  );
  ctx.cache.drop(cacheGroup);
  return category;
}

const trimNames = <T extends string | null>(names: Record<string, T> = {}): Record<string, T> =>
  Object.fromEntries(
    Object.entries(names).map(([language, name]) => [language, (name?.trim() ?? null) as T]),
  );

/** The names that were set, each a detail of its own, since details are flat. */
const auditDetails = ({ name, names = {} }: CategoryUpdate) => ({
  name,
  ...Object.fromEntries(Object.entries(names).map(([tag, text]) => [`name_${tag}`, text])),
});

async function rejectTakenName<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error, 'categories_name_key')) {
      throw conflict('name_in_use', 'There is a category with this name already.');
    }
    throw error;
  }
}
