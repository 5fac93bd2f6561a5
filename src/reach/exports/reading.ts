import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../platform/context.ts';
import { firstIdOf } from '../../platform/ids.ts';
import { signaturesIn, type SignatureRange } from './queries.ts';
import type { ExportedSignature } from './schema.ts';

export interface Wanted {
  from?: Date | undefined;
  until?: Date | undefined;
  /** The last id that the caller has. */
  after?: string | undefined;
}

/** Rows of one statement: it and writing them keep others waiting for a millisecond. */
const pageSize = 100;
/**
 * An export rests so many times as long as it worked, so that those who read and sign hardly notice it: with 6
 * times, the p99 of signing was 1.5 times that without, on 2 cores (`npm run bench exports`).
 */
const restfulness = 8;
const longestRest = 100;

/**
 * How far the time in an id and that of its transaction may lie apart: by clocks that differ, and by
 * waiting for the group with which it is stored. Ids find the rows, and the times in them decide.
 */
const slack = 600_000;

const noId = '00000000-0000-0000-0000-000000000000';

/**
 * Signatures of a petition, oldest first, as the text of some at a time. Each page is a short statement of
 * its own, so that a slow client holds no transaction, and one that goes away ends it. What is signed while
 * it runs is in it, or not, until it reaches what was signed a while after it began.
 */
export async function* readSignatures(
  ctx: Context,
  petitionId: string,
  write: (rows: ExportedSignature[]) => string,
  { from, until, after = noId }: Wanted = {},
): AsyncGenerator<string> {
  const earliest = from ? idNear(from.getTime() - slack) : noId;
  const latest = Math.min(until?.getTime() ?? Infinity, ctx.now().getTime());
  const range: SignatureRange = {
    afterId: after > earliest ? after : earliest,
    beforeId: idNear(latest + slack),
    from: from ?? null,
    until: until ?? null,
  };
  for (;;) {
    const begun = performance.now();
    const page = await readPage(ctx, petitionId, write, range);
    const took = performance.now() - begun;
    if (page.text) yield page.text;
    if (page.lastId === undefined) return;
    range.afterId = page.lastId;
    await sleep(Math.min(restfulness * took, longestRest));
  }
}

/**
 * One page, written out, and where the next begins. Its rows are gone when it returns: what lives through
 * the rest is old to the garbage collector, and stays for long.
 */
async function readPage(
  ctx: Context,
  petitionId: string,
  write: (rows: ExportedSignature[]) => string,
  range: SignatureRange,
): Promise<{ text: string; lastId: string | undefined }> {
  const rows = await signaturesIn(ctx.pools.exports, petitionId, range, pageSize);
  const lastId = rows.length < pageSize ? undefined : rows.at(-1)!.id;
  return { text: rows.length > 0 ? write(rows) : '', lastId };
}

const idNear = (milliseconds: number) => firstIdOf(new Date(milliseconds));
