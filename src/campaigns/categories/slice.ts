import { Type } from 'typebox';
import { many, one, routes } from '../../platform/http/route.ts';
import { Uuid } from '../../platform/http/schema.ts';
import type { Slice } from '../../platform/slice.ts';
import { addCategory, listCategories, renameCategory } from './categories.ts';
import { Category, CategoryInput } from './schema.ts';

const api = routes('Admin');
const petitionsApi = routes('Petitions');

export const categoriesSlice = (): Slice => ({
  routes: [
    petitionsApi.get('/v1/categories', {
      id: 'listCategories',
      summary: 'All categories, by name',
      auth: { access: 'anyone' },
      returns: many(Category),
      cache: { etag: true },
      handle: async ({ ctx }) => ({ items: await listCategories(ctx), nextCursor: null }),
    }),
    api.post('/v1/admin/categories', {
      id: 'addCategory',
      summary: 'Add a category',
      auth: { access: 'admin' },
      body: { schema: CategoryInput, example: { name: 'Science' } },
      returns: one(Category, 201),
      problems: ['conflict'],
      handle: ({ ctx, caller, body }) => addCategory(ctx, caller, body.name.trim()),
    }),
    api.patch('/v1/admin/categories/{id}', {
      id: 'renameCategory',
      summary: 'Rename a category',
      description: 'Its slug stays as it is.',
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
