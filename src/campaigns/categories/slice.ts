import { Type } from 'typebox';
import { many, one, routes } from '../../platform/http/route.ts';
import { idOf } from '../../platform/http/schema.ts';
import type { Slice } from '../../platform/slice.ts';
import { addCategory, languageAsked, listCategories, renameCategory } from './categories.ts';
import {
  AdminCategory,
  Category,
  categoryLanguage,
  CategoryInput,
  CategoryUpdate,
} from './schema.ts';

const api = routes('Admin');
const petitionsApi = routes('Petitions');

export const categoriesSlice = (): Slice => ({
  routes: [
    petitionsApi.get('/v1/categories', {
      id: 'listCategories',
      summary: 'All categories, by name',
      description: 'With the number of petitions of each that everybody can see.',
      auth: { access: 'anyone' },
      query: Type.Object(categoryLanguage),
      returns: many(Category),
      cache: { etag: true },
      handle: async ({ ctx, query }) => ({
        items: await listCategories(ctx, languageAsked(query.lang)),
        nextCursor: null,
      }),
    }),
    api.post('/v1/admin/categories', {
      id: 'addCategory',
      summary: 'Add a category',
      description: 'Its slug is made from its English name. Petitions can have it at once.',
      auth: { access: 'admin' },
      body: { schema: CategoryInput, example: { name: 'Science', names: { de: 'Wissenschaft' } } },
      returns: one(AdminCategory, 201),
      problems: ['conflict'],
      handle: ({ ctx, caller, body }) => addCategory(ctx, caller, body),
    }),
    api.patch('/v1/admin/categories/{id}', {
      id: 'renameCategory',
      summary: 'Rename a category',
      description: 'What is absent stays as it is, as does the slug.',
      auth: { access: 'admin' },
      params: Type.Object({ id: idOf('the category') }),
      body: { schema: CategoryUpdate, example: { names: { fr: 'Sciences' } } },
      returns: one(AdminCategory),
      problems: ['not-found', 'conflict'],
      handle: ({ ctx, caller, params, body }) => renameCategory(ctx, caller, params.id, body),
    }),
  ],
});
