import type { Sessions } from '../../identity/sessions/sessions.ts';
import type { Slice } from '../../platform/slice.ts';
import { forgetPerson, reportsOf } from './queries.ts';
import { reportRoutes } from './routes.ts';

export const reportsSlice = (sessions: Sessions): Slice => ({
  routes: reportRoutes(sessions),
  personalData: { name: 'reports', export: reportsOf, erase: forgetPerson },
});
