import type { Context } from '../../platform/context.ts';
import { ofModule } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { personalData } from './grants.ts';
import { protocolRoutes } from './protocol-routes.ts';
import { deleteExpired } from './queries.ts';
import { managementRoutes } from './routes.ts';
import { scopeDescriptions } from './schema.ts';

export const oauthSlice = (ctx: Context, sessions: Sessions): Slice => ({
  routes: [
    ...protocolRoutes(sessions),
    // People still see to whom they have granted access.
    ...ofModule('developers', managementRoutes(sessions), ['listOAuthGrants']),
  ],
  jobs: { 'forget-expired-authorizations': () => deleteExpired(ctx.db) },
  schedules: [{ job: 'forget-expired-authorizations', cron: '47 * * * *' }],
  oauthScopes: scopeDescriptions,
  personalData: personalData(sessions),
});
