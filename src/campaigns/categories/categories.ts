import { recordAdminAction } from '../../platform/audit.ts';
import type { Context } from '../../platform/context.ts';
import { isUniqueViolation, transaction } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { isUuid } from '../../platform/ids.ts';
import { addJob } from '../../platform/jobs.ts';
import { isLanguage, type Language } from '../../platform/pages/language.ts';
import { conflict, invalidValue, notFound } from '../../platform/problems.ts';
import { slugCandidates, slugify } from '../../platform/slug.ts';
import * as queries from './queries.ts';
import type {
  AdminCategory,
  Category,
  CategoryInput,
  CategoryMerger,
  CategoryUpdate,
} from './schema.ts';

const cacheGroup = 'categories';

/** Returns the categories with their names in a language, ordered by position and then by name, without merged ones. */
export function listCategories(ctx: Context, language: Language = 'en'): Promise<Category[]> {
  return ctx.cache.read(cacheGroup, language, async () => {
    const categories = await allCategories(ctx);
    return ordered(categories, language)
      .filter(({ merged_into: into }) => into === null)
      .map(({ id, slug, ...names }) => ({ id, name: nameIn(names, language), slug }));
  });
}

/** Returns all categories in the same order, merged ones last. */
export async function listAllCategories(ctx: Context): Promise<AdminCategory[]> {
  const categories = ordered(await queries.findCategories(ctx.db), 'en');
  const isLast = ({ merged_into: into }: AdminCategory) => Number(into !== null);
  return categories.toSorted((a, b) => isLast(a) - isLast(b));
}

const nameIn = ({ name, names }: Pick<AdminCategory, 'name' | 'names'>, language: Language) =>
  names[language] ?? name;

function ordered(categories: AdminCategory[], language: Language): AdminCategory[] {
  const collator = new Intl.Collator(language);
  const place = ({ position }: AdminCategory) => position ?? Number.MAX_SAFE_INTEGER;
  return categories.toSorted(
    (a, b) => place(a) - place(b) || collator.compare(nameIn(a, language), nameIn(b, language)),
  );
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
  const id = currentIdOf(await allCategories(ctx), ref);
  if (id !== undefined) return id;
  if (isUuid(ref)) return ref.toLowerCase();
  throw invalidValue(field, 'There is no such category.');
}

/** Returns the category of an id or slug, or the one that it was merged into, with its name in a language. */
export async function findCategory(
  ctx: Context,
  ref: string,
  language: Language = 'en',
): Promise<Category | undefined> {
  const id = currentIdOf(await allCategories(ctx), ref);
  return (await listCategories(ctx, language)).find((category) => category.id === id);
}

function currentIdOf(categories: AdminCategory[], ref: string): string | undefined {
  const wanted = isUuid(ref) ? ref.toLowerCase() : undefined;
  const found = categories.find(({ id, slug }) => slug === ref || id === wanted);
  return found && (found.merged_into ?? found.id);
}

/** Returns the id of a category that petitions can have, or of the one that it was merged into. */
export const currentCategoryId = (ctx: Context, id: string): Promise<string | undefined> =>
  queries.findCurrentId(ctx.db, id);

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
 * Changes names and position of a category. Its slug stays.
 * @throws {Problem} not-found, or conflict if the name is taken or the category was merged
 */
export async function renameCategory(
  ctx: Context,
  caller: Caller,
  id: string,
  input: CategoryUpdate,
): Promise<AdminCategory> {
  const { position } = input;
  const changes = { name: input.name?.trim(), names: trimNames(input.names), position };
  const category = await rejectTakenName(() =>
    transaction(ctx.db, async (tx) => {
      const renamed = await queries.changeCategory(tx, id, changes);
      if (!renamed)
        throw (await queries.categoryExists(tx, id)) ? isMerged() : notFound('category');
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

/** Moves the petitions of merged categories to those that they were merged into. */
export const mergingJob = 'move-petitions-of-merged-categories';

/** Petitions that are being created meanwhile are stored within this time, and found by a second job. */
const lateDelayMs = 60_000;

/**
 * Merges a category into another one: its petitions move there in the background, and its id and slug lead there.
 * @throws {Problem} not-found; validation-failed if the other one is unknown or the same; conflict if one of them was
 *   merged
 */
export async function mergeCategory(
  ctx: Context,
  caller: Caller,
  id: string,
  { into }: CategoryMerger,
): Promise<AdminCategory> {
  const merged = await transaction(ctx.db, async (tx) => {
    const categories = await queries.lockCategories(tx, [id, into]);
    const [category, other] = [id, into].map((wanted) =>
      categories.find((one) => one.id === wanted.toLowerCase()),
    );
    if (!category) throw notFound('category');
    if (!other) throw invalidValue('into', 'There is no such category.');
    if (other === category) throw invalidValue('into', 'This is the category itself.');
    if (category.merged_into !== null || other.merged_into !== null) throw isMerged();
    await queries.setMerged(tx, category.id, other.id);
    await recordAdminAction(tx, {
      actorId: caller.userId,
      action: 'category.merge',
      targetType: 'category',
      targetId: category.id,
      details: { into: other.id },
    });
    const runAt = new Date(Date.now() + lateDelayMs);
    await addJob(tx, mergingJob, { after: null }, { key: mergingJob });
    await addJob(tx, mergingJob, { after: null }, { key: `${mergingJob}-late`, runAt });
    return { ...category, merged_into: other.id };
  });
  ctx.cache.drop(cacheGroup);
  return merged;
}

const isMerged = () => conflict('category_merged', 'This category was merged into another one.');

const trimNames = <T extends string | null>(names: Record<string, T> = {}): Record<string, T> =>
  Object.fromEntries(
    Object.entries(names).map(([language, name]) => [language, (name?.trim() ?? null) as T]),
  );

/** The names that were set, each a detail of its own, since details are flat. */
const auditDetails = ({ name, names = {}, position }: CategoryUpdate) => ({
  name,
  position,
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
