import type { Sessions } from '../../identity/sessions/sessions.ts';
import type { Context } from '../../platform/context.ts';
import type { Slice } from '../../platform/slice.ts';
import { userRoutes } from './routes.ts';
import { hideLateContent } from './suspension.ts';

export const usersSlice = (ctx: Context, sessions: Sessions): Slice => ({
  routes: userRoutes(sessions),
  jobs: {
    'hide-late-content': (job: { user_id: string; suspended_at: string }) =>
      hideLateContent(ctx, job),
  },
});
