import { recordAdminAction } from '../../platform/audit.ts';
import type { Context } from '../../platform/context.ts';
import { isUniqueViolation, transaction } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { conflict, notFound } from '../../platform/problems.ts';
import { slugCandidates, slugify } from '../../platform/slug.ts';
import * as queries from './queries.ts';
import type { Category } from './schema.ts';

const cacheGroup = 'categories';

export function listCategories(ctx: Context): Promise<Category[]> {
  return ctx.cache.read(cacheGroup, 'all', () => queries.findCategories(ctx.db));
}

export async function categoryExists(ctx: Context, id: string): Promise<boolean> {
  return queries.categoryExists(ctx.db, id);
}

/** @throws {Problem} conflict if the name is taken */
export async function addCategory(ctx: Context, caller: Caller, name: string): Promise<Category> {
  const category = await rejectTakenName(() =>
    transaction(ctx.db, async (tx) => {
      for (const slug of slugCandidates(slugify(name, 'category'))) {
        const added = await queries.insertCategory(tx, name, slug);
        if (!added) continue;
        await recordAdminAction(tx, {
          actorId: caller.userId,
          action: 'category.create',
          targetType: 'category',
          targetId: added.id,
          details: { name },
        });
        return added;
      }
      throw new Error('no free slug was found');
    }),
  );
  ctx.cache.drop(cacheGroup);
  return category;
}

/** Renames a category. Its slug stays. */
export async function renameCategory(
  ctx: Context,
  caller: Caller,
  id: string,
  name: string,
): Promise<Category> {
  const category = await rejectTakenName(() =>
    transaction(ctx.db, async (tx) => {
      const renamed = await queries.renameCategory(tx, id, name);
      if (!renamed) throw notFound('category');
      await recordAdminAction(tx, {
        actorId: caller.userId,
        action: 'category.rename',
        targetType: 'category',
        targetId: id,
        details: { name },
      });
      return renamed;
    }),
  );
  ctx.cache.drop(cacheGroup);
  return category;
}

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
