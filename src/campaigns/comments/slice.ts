import type { Slice } from '../../platform/slice.ts';
import { commentsOf, forgetAuthor } from './queries.ts';
import { commentRoutes } from './routes.ts';

export const commentsSlice = (): Slice => ({
  routes: commentRoutes,
  personalData: { name: 'comments', export: commentsOf, erase: forgetAuthor },
});
