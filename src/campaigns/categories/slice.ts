import { Type } from 'typebox';
import { many, one, route } from '../../platform/http/route.ts';
import { Uuid } from '../../platform/http/schema.ts';
import type { Slice } from '../../platform/slice.ts';
import { addCategory, listCategories, renameCategory } from './categories.ts';
import { Category, CategoryInput } from './schema.ts';

export const categoriesSlice = (): Slice => ({
  routes: [
    route({
      id: 'listCategories',
      method: 'GET',
      path: '/v1/categories',
      summary: 'All categories, by name',
      tag: 'Petitions',
      auth: { access: 'anyone' },
      returns: many(Category),
      cache: { etag: true },
      handle: async ({ ctx }) => ({ items: await listCategories(ctx), nextCursor: null }),
    }),
    route({
      id: 'addCategory',
      method: 'POST',
      path: '/v1/admin/categories',
      summary: 'Add a category',
      tag: 'Admin',
      auth: { access: 'admin' },
      body: { schema: CategoryInput, example: { name: 'Science' } },
      returns: one(Category, 201),
      problems: ['conflict'],
      handle: ({ ctx, caller, body }) => addCategory(ctx, caller, body.name.trim()),
    }),
    route({
      id: 'renameCategory',
      method: 'PATCH',
      path: '/v1/admin/categories/{id}',
      summary: 'Rename a category',
      description: 'Its slug stays as it is.',
      tag: 'Admin',
      auth: { access: 'admin' },
      params: Type.Object({ id: Uuid }),
      body: { schema: CategoryInput, example: { name: 'Science and research' } },
      returns: one(Category),
      problems: ['not-found', 'conflict'],
      handle: ({ ctx, caller, params, body }) =>
        renameCategory(ctx, caller, params.id, body.name.trim()),
    }),
  ],
});
