import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../platform/context.ts';
import { firstIdOf } from '../../platform/ids.ts';
import { listSignatures, type SignatureRange } from './queries.ts';
import type { ExportedSignature } from './schema.ts';

export interface SignatureFilter {
  from?: Date | undefined;
  until?: Date | undefined;
  /** The last id that the caller has. */
  after?: string | undefined;
}

/** Rows per statement. Reading and serializing them block the event loop for about 1 ms. */
const pageSize = 100;
/**
 * An export pauses for this multiple of its working time, so that it hardly slows other requests: with 6,
 * the p99 of signing was 1.5 times that without an export, on 2 cores (`npm run bench exports`).
 */
const pauseFactor = 8;
const maxPauseMs = 100;

/**
 * Maximum difference between the time in an id and that of its transaction, by clock skew and by waiting
 * for the group. Ids only narrow the search; `created_at` decides.
 */
const clockToleranceMs = 600_000;

const minId = '00000000-0000-0000-0000-000000000000';

/**
 * Yields a petition's signatures as text, oldest first, a page at a time. Each page is a short statement,
 * so that a slow client holds no transaction; an aborted request ends the export. Signatures that are
 * given meanwhile can be included, up to `clockToleranceMs` after the start.
 */
export async function* readSignatures(
  ctx: Context,
  petitionId: string,
  write: (rows: ExportedSignature[]) => string,
  { from, until, after = minId }: SignatureFilter = {},
): AsyncGenerator<string> {
  const earliest = from ? idAt(from.getTime() - clockToleranceMs) : minId;
  const latest = Math.min(until?.getTime() ?? Infinity, ctx.now().getTime());
  const range: SignatureRange = {
    afterId: after > earliest ? after : earliest,
    beforeId: idAt(latest + clockToleranceMs),
    from: from ?? null,
    until: until ?? null,
  };
  for (;;) {
    const start = performance.now();
    const page = await readPage(ctx, petitionId, write, range);
    const durationMs = performance.now() - start;
    if (page.text) yield page.text;
    if (page.lastId === undefined) return;
    range.afterId = page.lastId;
    await sleep(Math.min(pauseFactor * durationMs, maxPauseMs));
  }
}

/**
 * Returns a serialized page and its last id. Its rows must not outlive the call: objects that survive the
 * pause are promoted to the old generation and are collected late.
 */
async function readPage(
  ctx: Context,
  petitionId: string,
  write: (rows: ExportedSignature[]) => string,
  range: SignatureRange,
): Promise<{ text: string; lastId: string | undefined }> {
  const rows = await listSignatures(ctx.pools.exports, petitionId, range, pageSize);
  const lastId = rows.length < pageSize ? undefined : rows.at(-1)!.id;
  return { text: rows.length > 0 ? write(rows) : '', lastId };
}

const idAt = (timeMs: number) => firstIdOf(new Date(timeMs));
