import type { Caller } from '../../platform/http/route.ts';
import type { PetitionRow } from '../petitions/read.ts';
import type { LinkRow, MakerRow } from './queries.ts';
import type { ResponseRow } from './response-queries.ts';
import type { makerStates } from './schema.ts';

/** How long a link is valid, in milliseconds. */
export const linkLifetimeMs = 30 * 86_400_000;
/** Responses are published automatically after this time, in milliseconds. */
export const publishAfterMs = 7 * 86_400_000;

/** Whether the petition can be delivered to decision makers. */
export const isDeliverable = ({ status }: Pick<PetitionRow, 'status'>) =>
  status === 'active' || status === 'closed' || status === 'victory';

/** Returns the state of the newest delivery to a decision maker. */
export function deliveryState(maker: MakerRow): (typeof makerStates)[number] {
  if (maker.is_answered) return 'responded';
  if (maker.failed_at) return 'failed';
  if (maker.opened_at) return 'opened';
  return maker.sent_at ? 'sent' : 'pending';
}

/** Whether a link was replaced or has expired. */
export const hasEnded = (link: LinkRow, now: Date) =>
  link.replaced_at !== null || link.expires_at <= now;

/** Whether the caller may know that the response exists. */
export const canSeeResponse = (response: ResponseRow, caller: Caller) =>
  response.published_at !== null || response.creator_id === caller.userId;
