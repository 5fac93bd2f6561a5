import type { Slice } from '../../platform/slice.ts';
import { forgetPerson, reportsOf } from './queries.ts';
import { reportRoutes } from './routes.ts';

export const reportsSlice = (): Slice => ({
  routes: reportRoutes,
  personalData: { name: 'reports', export: reportsOf, erase: forgetPerson },
});
