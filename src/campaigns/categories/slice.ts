import { Type } from 'typebox';
import { many, one, routes } from '../../platform/http/route.ts';
import { idOf } from '../../platform/http/schema.ts';
import type { Slice } from '../../platform/slice.ts';
import {
  addCategory,
  languageAsked,
  listAllCategories,
  listCategories,
  mergeCategory,
  renameCategory,
} from './categories.ts';
import {
  AdminCategory,
  Category,
  categoryLanguage,
  CategoryInput,
  CategoryMerger,
  CategoryUpdate,
} from './schema.ts';

const api = routes('Admin');
const petitionsApi = routes('Petitions');

export const categoriesSlice = (): Slice => ({
  routes: [
    petitionsApi.get('/v1/categories', {
      id: 'listCategories',
      summary: 'All categories, in their order',
      description:
        'By the position that administrators gave them, then by name. Without merged ones, whose id and slug lead to the category that has their petitions.',
      auth: { access: 'anyone' },
      query: Type.Object(categoryLanguage),
      returns: many(Category),
      cache: { etag: true },
      handle: async ({ ctx, query }) => ({
        items: await listCategories(ctx, languageAsked(query.lang)),
        nextCursor: null,
      }),
    }),
    api.get('/v1/admin/categories', {
      id: 'listAllCategories',
      summary: 'All categories with their names, positions and mergers',
      description: 'In the order of `GET /v1/categories`, merged ones last.',
      auth: { access: 'admin' },
      returns: many(AdminCategory),
      handle: async ({ ctx }) => ({ items: await listAllCategories(ctx), nextCursor: null }),
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
      summary: 'Change names and position of a category',
      description: 'What is absent stays as it is, as does the slug.',
      auth: { access: 'admin' },
      params: Type.Object({ id: idOf('the category') }),
      body: { schema: CategoryUpdate, example: { names: { fr: 'Sciences' } } },
      returns: one(AdminCategory),
      problems: ['not-found', 'conflict'],
      handle: ({ ctx, caller, params, body }) => renameCategory(ctx, caller, params.id, body),
    }),
    api.post('/v1/admin/categories/{id}/merge', {
      id: 'mergeCategory',
      summary: 'Merge a category into another one',
      description:
        'Its petitions get the other category, within moments or, where they are many, minutes. Its id and slug lead to the other one from then on. This cannot be undone. Where one of the two was merged before: 409 category_merged.',
      auth: { access: 'admin' },
      params: Type.Object({ id: idOf('the category') }),
      body: {
        schema: CategoryMerger,
        example: { into: '0199d3f0-5b1e-7c4a-9d55-3c1f0a2b7e11' },
      },
      returns: one(AdminCategory),
      problems: ['not-found', 'conflict'],
      handle: ({ ctx, caller, params, body }) => mergeCategory(ctx, caller, params.id, body),
    }),
  ],
});
