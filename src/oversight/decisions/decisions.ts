import type { Context } from '../../platform/context.ts';
import type { NoticeData } from '../../reach/notifications/schema.ts';
import { complaintPath } from './tokens.ts';

export {
  complain,
  decideComplaint,
  getComplaint,
  listComplaints,
  readComplaintLink,
  type ComplaintState,
} from './complaints.ts';
export { complaintMail, decisionMail } from './mails.ts';
export {
  findDecidedComplaints,
  findDecisions,
  type DecidedComplaint,
  type Decision,
} from './queries.ts';
export { isOpenTo, statementOf } from './statement.ts';

/** The path of the page that a notification about a decision leads to. */
export const pathOfNotice = (
  { keys }: Context,
  userId: string,
  { decision_id: decisionId, side }: NoticeData,
): string =>
  complaintPath(keys, {
    decisionId: String(decisionId),
    side: side === 'author' ? 'author' : 'reporter',
    userId,
    reportId: null,
  });
