import type { Context } from '../../platform/context.ts';
import type { NoticeData } from '../../reach/notifications/schema.ts';
import { complaintToken } from './tokens.ts';

export {
  complain,
  decideComplaint,
  getComplaint,
  listComplaints,
  readComplaintLink,
  type ComplaintState,
} from './complaints.ts';
export { findDecidedComplaints, findDecisions } from './queries.ts';
export { isOpenTo, statementOf } from './statement.ts';

/** The path of the page where the recipient of a notification about a decision reads it and can complain. */
export function complaintPath(
  { keys }: Context,
  userId: string,
  { decision_id: decisionId, side }: NoticeData,
): string {
  const link = { decisionId: String(decisionId), userId } as const;
  return `/complaints/${complaintToken(keys, { ...link, side: side === 'author' ? 'author' : 'reporter' })}`;
}
