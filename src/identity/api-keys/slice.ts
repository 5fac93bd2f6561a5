import type { Slice } from '../../platform/slice.ts';
import type { KeyCallers } from './key-callers.ts';
import { exportKeys } from './queries.ts';
import { apiKeyRoutes } from './routes.ts';

export const apiKeysSlice = (callers: KeyCallers): Slice => ({
  routes: apiKeyRoutes(callers),
  personalData: {
    name: 'api_keys',
    export: exportKeys,
    // The database deletes keys with the row of their maker.
    erase: async () => {},
    erased: async () => callers.forget(),
  },
  start: async () => callers.lastUses.writer.start(),
  stop: () => callers.lastUses.writer.stop(),
});
