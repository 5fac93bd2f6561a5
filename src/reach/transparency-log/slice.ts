import type { Context } from '../../platform/context.ts';
import { registerFollower } from '../../platform/followers.ts';
import type { Slice } from '../../platform/slice.ts';
import { StepWorker } from '../../platform/workers.ts';
import type { LogFiles } from './log-files.ts';
import { readLogKeys } from './log-keys.ts';
import { PublishedLog } from './published-log.ts';
import { publishedRoutes } from './published-routes.ts';
import { Publisher } from './publishing.ts';
import { logRoutes } from './routes.ts';
import { followerName, sequence } from './sequencer.ts';
import { createWitnessWorkers } from './witnessing.ts';
import { sumsBackfill } from './sums-backfill.ts';

/** What is counted within this time is one batch, so that the log shows times no more exactly. */
const batchIntervalMs = 1000;

/** While there are many batches, they are published this often. Each publishing has costs of its own. */
const publishIntervalMs = 2000;

/** `files` is undefined where the log is switched off. */
export const transparencyLogSlice = (ctx: Context, files: LogFiles | undefined): Slice => ({
  routes: [...logRoutes(files), ...publishedRoutes(files && new PublishedLog(files))],
  workers: createWorkers(ctx, files),
  backfills: [sumsBackfill(ctx, files)],
});

function createWorkers(ctx: Context, files: LogFiles | undefined): StepWorker[] {
  if (!files) return [createWriter(ctx, undefined)];
  const publisher = new Publisher(ctx, files);
  const serve = () => publisher.serveCosignatures();
  const witnesses = createWitnessWorkers({ ctx, files, serve });
  const onPublished = () => witnesses.forEach((witness) => witness.wake());
  return [createWriter(ctx, { publisher, onPublished }), ...witnesses];
}

interface Publishing {
  publisher: Publisher;
  /** Called after something was published. */
  onPublished: () => void;
}

/** Adds batches to the log, and publishes them. */
function createWriter(ctx: Context, publishing: Publishing | undefined): StepWorker {
  const publish = async () => {
    const { pools, config } = ctx;
    const { origin } = config.transparencyLog ?? {};
    if (!publishing || !origin) return;
    const { secret } = config;
    const keys = await readLogKeys(pools.main, { secret, origin, now: ctx.now() });
    const outcome = await publishing.publisher.publish(keys.verifierKeys);
    if (outcome === 'published') publishing.onPublished();
  };
  let isRegistered = false;
  let hasMore = false;
  /** By performance.now(). */
  let publishedAtMs = 0;
  const publishIfDue = async () => {
    if (performance.now() - publishedAtMs < publishIntervalMs) return;
    publishedAtMs = performance.now();
    await publish();
  };
  return new StepWorker(
    {
      name: 'transparency log',
      idleMs: batchIntervalMs,
      async step() {
        if (!isRegistered) await registerFollower(ctx.pools.main, followerName);
        isRegistered = true;
        // Of many batches, some are published while the next one is added.
        const [added, published] = await Promise.allSettled([
          sequence(ctx),
          hasMore && publishIfDue(),
        ]);
        hasMore = added.status === 'fulfilled' && added.value;
        for (const result of [added, published]) {
          if (result.status === 'rejected') throw result.reason;
        }
        if (!hasMore) await publish();
        return hasMore;
      },
    },
    ctx.log,
  );
}
