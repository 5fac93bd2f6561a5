import type { Context } from '../../platform/context.ts';
import type { Slice } from '../../platform/slice.ts';
import { deleteOldDrafts } from './queries.ts';

/** Drafts of petitions that are written before their writers have an account. */
export const anonymousDraftsSlice = (ctx: Context): Slice => ({
  routes: [],
  jobs: { 'delete-anonymous-drafts': () => deleteOldDrafts(ctx.db) },
  schedules: [{ job: 'delete-anonymous-drafts', cron: '23 * * * *' }],
});
