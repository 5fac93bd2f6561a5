import type { FastifyInstance } from 'fastify';
import { categoriesSlice } from './campaigns/categories/slice.ts';
import { commentsSlice } from './campaigns/comments/slice.ts';
import { decisionMakersSlice } from './campaigns/decision-makers/slice.ts';
import { petitionsSlice } from './campaigns/petitions/slice.ts';
import { signaturesSlice } from './campaigns/signatures/slice.ts';
import { accountsSlice } from './identity/accounts/slice.ts';
import { recoverySlice } from './identity/recovery/slice.ts';
import { Sessions } from './identity/sessions/sessions.ts';
import { sessionsSlice } from './identity/sessions/slice.ts';
import type { Context } from './platform/context.ts';
import { Followers } from './platform/followers.ts';
import { describeApi } from './platform/http/openapi.ts';
import { buildServer } from './platform/http/server.ts';
import type { Route } from './platform/http/route.ts';
import { realtimeSlice } from './reach/realtime/slice.ts';
import type { Authenticate } from './platform/http/admission.ts';
import { serviceSlice } from './platform/http/service-routes.ts';
import { startWorker, type JobWorker } from './platform/jobs.ts';
import type { Slice } from './platform/slice.ts';

export interface App {
  /** Everything that can be called. */
  routes: Route[];
  sessions: Sessions;
  /** Begins what runs beside requests. Needed before requests are served. */
  start(): Promise<void>;
  stop(): Promise<void>;
  buildServer(): Promise<FastifyInstance>;
  /** Runs jobs and the followers of events. */
  startWorker(databaseUrl: string): Promise<JobWorker>;
}

/** The service: its slices, in the order of their tiers. */
export function createApp(ctx: Context): App {
  const sessions = new Sessions(ctx);
  const authenticate: Authenticate = (request) => sessions.authenticate(request);
  const slices: Slice[] = [
    accountsSlice(ctx, {
      holders: () => slices.flatMap((slice) => slice.personalData ?? []),
      endSessions: (userId) => sessions.endAllOf(ctx.db, userId),
    }),
    sessionsSlice(ctx, sessions),
    recoverySlice(ctx, sessions),
    categoriesSlice(),
    petitionsSlice(ctx),
    signaturesSlice(ctx),
    commentsSlice(),
    decisionMakersSlice(ctx),
    realtimeSlice(ctx, authenticate),
    serviceSlice(ctx, () => describeApi(ctx.config.baseUrl, routes)),
  ];
  const routes = slices.flatMap((slice) => slice.routes);
  return {
    routes,
    sessions,
    async start() {
      for (const slice of slices) await slice.start?.();
    },
    async stop() {
      for (const slice of slices.toReversed()) await slice.stop?.();
    },
    buildServer: () =>
      buildServer({
        ctx,
        routes,
        authenticate,
        upgrades: Object.assign({}, ...slices.map((slice) => slice.upgrades)),
        hangUp: () => slices.forEach((slice) => slice.hangUp?.()),
      }),
    async startWorker(databaseUrl) {
      const { pools, bell, log, metrics } = ctx;
      const followers = new Followers({
        db: pools.main,
        bell,
        followers: slices.flatMap((slice) => slice.followers ?? []),
        log,
        metrics,
      });
      const jobs = await startWorker({
        databaseUrl,
        db: pools.main,
        handlers: Object.assign({}, ...slices.map((slice) => slice.jobs)),
        bell,
        schedules: slices.flatMap((slice) => slice.schedules ?? []),
        log,
      });
      await followers.start();
      return {
        goSilent: () => jobs.goSilent(),
        async stop() {
          await followers.stop();
          await jobs.stop();
        },
      };
    },
  };
}
