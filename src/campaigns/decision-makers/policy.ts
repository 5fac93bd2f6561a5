import type { Caller } from '../../platform/http/route.ts';
import type { PetitionRow } from '../petitions/petitions.ts';
import type { LinkRow, MakerRow } from './queries.ts';
import type { ResponseRow } from './response-queries.ts';
import type { makerStates } from './schema.ts';

/** How long a link works, in milliseconds. */
export const linkLifetime = 30 * 86_400_000;
/** After this time a response is published by itself, in milliseconds. */
export const publishedAfter = 7 * 86_400_000;

/** Whether the petition can be brought before decision makers. */
export const isDeliverable = ({ status }: Pick<PetitionRow, 'status'>) =>
  status === 'active' || status === 'closed' || status === 'victory';

/** How far the petition has come with the decision maker. */
export function stateOf(maker: MakerRow): (typeof makerStates)[number] {
  if (maker.responded_at) return 'responded';
  if (maker.failed_at) return 'failed';
  if (maker.opened_at) return 'opened';
  return maker.sent_at ? 'sent' : 'pending';
}

/** Whether a link that was good once is so no longer. */
export const hasEnded = (link: LinkRow, now: Date) =>
  link.replaced_at !== null || link.expires_at <= now;

/** Whether the caller may know of the response. */
export const canSeeResponse = (response: ResponseRow, caller: Caller) =>
  response.published_at !== null || response.creator_id === caller.userId;
