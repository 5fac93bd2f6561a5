import { ofModule } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import { findCommentsOfUser, clearAuthor } from './queries.ts';
import { quarantinedComments } from './quarantine.ts';
import { commentRoutes } from './routes.ts';

export const commentsSlice = (): Slice => ({
  routes: ofModule('comments', commentRoutes),
  personalData: {
    name: 'comments',
    export: findCommentsOfUser,
    erase: clearAuthor,
    quarantine: quarantinedComments,
  },
});
