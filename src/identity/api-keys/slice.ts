import type { Context } from '../../platform/context.ts';
import { ofModule } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import type { KeyCallers } from './key-callers.ts';
import { deleteReplaced, exportKeys } from './queries.ts';
import { apiKeyRoutes } from './routes.ts';

export const apiKeysSlice = (ctx: Context, callers: KeyCallers): Slice => ({
  routes: ofModule('developers', apiKeyRoutes(callers)),
  jobs: { 'forget-replaced-api-keys': () => deleteReplaced(ctx.db) },
  schedules: [{ job: 'forget-replaced-api-keys', cron: '37 * * * *' }],
  personalData: {
    name: 'api_keys',
    export: exportKeys,
    // The database deletes keys with the row of their user.
    erase: async () => {},
    onErased: async () => callers.forget(),
  },
  start: async () => callers.lastUses.writer.start(),
  stop: () => callers.lastUses.writer.stop(),
});
