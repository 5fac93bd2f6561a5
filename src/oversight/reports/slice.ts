import type { Slice } from '../../platform/slice.ts';
import { eraseUser, findReportsOfUser } from './queries.ts';
import { reportRoutes } from './routes.ts';

export const reportsSlice = (): Slice => ({
  routes: reportRoutes,
  personalData: { name: 'reports', export: findReportsOfUser, erase: eraseUser },
});
