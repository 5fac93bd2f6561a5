import type { Context } from '../../platform/context.ts';
import type { Slice } from '../../platform/slice.ts';
import { openPublishedLog } from './published-log.ts';
import { publishedRoutes } from './published-routes.ts';

export const transparencyLogSlice = (ctx: Context): Slice => ({
  routes: publishedRoutes(openPublishedLog(ctx)),
});
