import type { Slice } from '../../platform/slice.ts';
import { findBlocksOfModerator, forgetModerator } from './queries.ts';
import { signingBlockRoutes } from './routes.ts';

export const signingBlocksSlice = (): Slice => ({
  routes: signingBlockRoutes,
  personalData: {
    name: 'signing_blocks',
    export: findBlocksOfModerator,
    erase: forgetModerator,
  },
});
