import { one, routes } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import { readMetrics, sumSignaturesByDay, type MetricsDeps } from './metrics.ts';
import { AdminMetrics } from './schema.ts';

const api = routes('Admin');

export const metricsSlice = (deps: MetricsDeps): Slice => ({
  routes: [
    api.get('/v1/admin/metrics', {
      id: 'readMetrics',
      summary: 'Figures of the service: what there is, and what waits for whom',
      description:
        'For administrators, as numbers of users, petitions and signatures, and the lengths of queues. `GET /metrics` is for Prometheus.',
      auth: { access: 'admin' },
      returns: one(AdminMetrics),
      handle: ({ ctx }) => readMetrics(ctx, deps),
    }),
  ],
  followers: [
    { name: 'signature-days', types: ['signature.created'], handleEvents: sumSignaturesByDay },
  ],
});
