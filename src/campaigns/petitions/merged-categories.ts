import type { Context } from '../../platform/context.ts';
import { addJob } from '../../platform/jobs.ts';
import { mergingJob } from '../categories/categories.ts';
import { evictPetitions } from './cache.ts';
import * as queries from './merged-category-queries.ts';

const lowestId = '00000000-0000-0000-0000-000000000000';
/** Petitions that one step reads. */
const stepSize = 1000;
/** How long a job works before it lets others run. */
const jobMs = 5000;

/**
 * Moves petitions of merged categories, in short transactions. Reads all petitions in the order of their ids: there is no
 * index of the category of petitions that are in no list.
 */
export async function movePetitions(ctx: Context, job: { after: string | null }): Promise<void> {
  const end = performance.now() + jobMs;
  let after = job.after ?? lowestId;
  while (performance.now() < end) {
    const { last, moved } = await queries.moveNext(ctx.pools.main, after, stepSize);
    if (moved.length > 0) evictPetitions(ctx, moved);
    if (last === null) return;
    after = last;
  }
  await addJob(ctx.pools.main, mergingJob, { after });
}
