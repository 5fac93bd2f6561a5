import type { Quota } from '../../platform/limits.ts';
import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../platform/http/route.ts';
import { conflict } from '../../platform/problems.ts';
import { getOwnPetition } from '../petitions/read.ts';
import type { Petition } from '../petitions/schema.ts';
import type { Attachment } from '../../platform/mail.ts';
import { isDeliverable } from './policy.ts';
import { summaryCsv } from './summary-csv.ts';
import { summaryPdf } from './summary-pdf.ts';
import { summarize } from './summary.ts';

/** Creating a PDF takes up to a second of CPU time. */
export const summaryQuota: Quota = { name: 'summary', points: 10, durationSeconds: 60 };

export type SummaryFormat = 'pdf' | 'csv';

/** Returns a summary of the signatures as a file. */
export async function makeSummaryFile(
  ctx: Context,
  petition: Petition,
  format: SummaryFormat,
): Promise<Attachment> {
  const summary = await summarize(ctx, petition);
  const filename = `${petition.slug}.${format}`;
  return format === 'pdf'
    ? { filename, contentType: 'application/pdf', content: await summaryPdf(summary) }
    : { filename, contentType: 'text/csv; charset=utf-8', content: summaryCsv(summary) };
}

/**
 * Returns the summary of the caller's petition, as decision makers get it.
 * @throws {Problem} as `requireOwnPetition`; conflict if it is not published; rate-limited
 */
export async function getOwnSummaryFile(
  ctx: Context,
  caller: Caller,
  ref: string,
  format: SummaryFormat,
): Promise<Attachment> {
  const petition = await getOwnPetition(ctx, caller, ref);
  if (!isDeliverable(petition)) {
    throw conflict('invalid_state', 'Only a petition that was published has a summary.');
  }
  await ctx.limits.take(summaryQuota, caller.userId, 'Too many summaries.');
  return makeSummaryFile(ctx, petition, format);
}
