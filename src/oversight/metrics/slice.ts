import { one, route } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import { readMetrics, sumSignaturesByDay } from './metrics.ts';
import { AdminMetrics } from './schema.ts';

export const metricsSlice = (): Slice => ({
  routes: [
    route({
      id: 'readMetrics',
      method: 'GET',
      path: '/v1/admin/metrics',
      summary: 'Figures of the service: what there is, and what waits for whom',
      tag: 'Admin',
      auth: { access: 'admin' },
      returns: one(AdminMetrics),
      handle: ({ ctx }) => readMetrics(ctx),
    }),
  ],
  followers: [
    { name: 'signature-days', types: ['signature.created'], handleEvents: sumSignaturesByDay },
  ],
});
