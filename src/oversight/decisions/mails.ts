import { allNotificationPrefs, findUser } from '../../identity/accounts/accounts.ts';
import { textOfNotice } from '../../reach/notifications/notifications.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/db.ts';
import type { EventFollower } from '../../platform/followers.ts';
import { withoutLinks } from '../../platform/mail-addresses.ts';
import { addMailJob } from '../../platform/mail-queue.ts';
import { sendUnlessFinal, type Mail } from '../../platform/mail.ts';
import { plainText, timeText } from '../../platform/pages/catalog.ts';
import { findReportContact, type ReportContact } from '../reports/reports.ts';
import * as queries from './queries.ts';
import type { ComplaintSide } from './schema.ts';
import { decisionTexts, isOpenTo, statementOf } from './statement.ts';
import { complaintPath } from './tokens.ts';

/**
 * Mails each decision to whom it concerns and to its reporters, and the outcome of a complaint to the person who
 * complained. Notification mails are merged and leave out suspended users, so these are mails of their own.
 */
export const decisionMailsFollower: EventFollower = {
  name: 'decision-mails',
  types: ['moderation.decided', 'complaint.decided'],
  async handleEvents(tx, events) {
    const idsIn = (member: string) =>
      events.flatMap(({ data }) => (typeof data[member] === 'string' ? [data[member]] : []));
    const decisions = await queries.findDecisions(tx, idsIn('decision_id'));
    for (const decision of decisions.values()) await addDecisionMails(tx, decision);
    const complaints = await queries.findDecidedComplaints(tx, idsIn('complaint_id'));
    for (const { id, user_id: userId, report_id: reportId } of complaints.values()) {
      if (userId !== null || reportId !== null)
        await addMailJob(tx, 'mail-complaint', { complaint_id: id });
    }
  },
};

async function addDecisionMails(tx: Tx, decision: queries.Decision): Promise<void> {
  const { id, user_id: userId, moderator_id: moderatorId, reporter_ids: reporterIds } = decision;
  const add = (side: ComplaintSide, to: string) =>
    addMailJob(tx, 'mail-decision', { decision_id: id, side, user_id: to });
  for (const reportId of decision.contact_report_ids) {
    await addMailJob(tx, 'mail-decision', {
      decision_id: id,
      side: 'reporter',
      user_id: null,
      report_id: reportId,
    });
  }
  if (userId !== null && userId !== moderatorId) await add('author', userId);
  for (const reporterId of reporterIds) await add('reporter', reporterId);
}

export interface DecisionMailJob {
  decision_id: string;
  side: ComplaintSide;
  /** Null for a reporter without an account, whose report is named. */
  user_id: string | null;
  report_id?: string | null;
}

/** Mails a decision to one person, unless the account was erased or wants none. */
export async function mailDecision(ctx: Context, job: DecisionMailJob): Promise<void> {
  const { decision_id: decisionId, side } = job;
  const decision = (await queries.findDecisions(ctx.db, [decisionId])).get(decisionId);
  const type = side === 'author' ? 'moderation_decision' : 'report_decided';
  const user = decision && (await recipient(ctx, job, type));
  if (user) await sendUnlessFinal(ctx, decisionMail(ctx, decision, user, job));
}

/** Composes the mail about a decision to one person. */
export function decisionMail(
  ctx: Context,
  decision: queries.Decision,
  to: ReportContact,
  job: DecisionMailJob,
): Mail {
  const { side } = job;
  const { language } = to;
  const { title, paragraphs } = statementOf(ctx, withoutWritten(decision), side, language);
  return compose(to, { subject: title, decision }, [
    ...paragraphs,
    ...(isOpenTo(decision.act, side)
      ? [
          plainText(decisionTexts, language, 'complain', {
            until: timeText(language, decision.expires_at),
            link: complaintAddress(ctx, job),
          }),
          plainText(decisionTexts, language, 'courts'),
        ]
      : []),
  ]);
}

/** Mails the outcome of a complaint to the person who complained. */
export async function mailComplaint(
  ctx: Context,
  { complaint_id: id }: { complaint_id: string },
): Promise<void> {
  const complaint = (await queries.findDecidedComplaints(ctx.db, [id])).get(id);
  const user = complaint && (await recipient(ctx, complaint, 'moderation_decision'));
  if (user) await sendUnlessFinal(ctx, complaintMail(ctx, complaint, user));
}

/** Composes the mail about the outcome of a complaint. */
export function complaintMail(
  ctx: Context,
  complaint: queries.DecidedComplaint,
  to: ReportContact,
): Mail {
  const { about, decision_reason: detail, status } = complaint;
  const { language } = to;
  const data = { outcome: status };
  const { title, body } = textOfNotice(
    {
      type: 'moderation_decision',
      about: withoutLinks(about),
      detail: detail && withoutLinks(detail),
      data,
      count: 1,
    },
    language,
  );
  const link = complaintAddress(ctx, complaint);
  return compose(to, { subject: title, decision: complaint }, [
    body,
    plainText(decisionTexts, language, 'outcome_link', { link }),
    plainText(decisionTexts, language, 'courts'),
  ]);
}

/** The decision without links in what people wrote. */
const withoutWritten = (decision: queries.Decision): queries.Decision => ({
  ...decision,
  about: withoutLinks(decision.about),
  reason: decision.reason && withoutLinks(decision.reason),
});

function complaintAddress(ctx: Context, job: DecisionMailJob): string {
  const { decision_id: decisionId, side, user_id: userId, report_id: reportId = null } = job;
  return ctx.config.baseUrl + complaintPath(ctx.keys, { decisionId, side, userId, reportId });
}

/**
 * Returns the user if their address is verified and they have not switched these mails off, or the contact of a report by
 * somebody without an account.
 */
async function recipient(
  ctx: Context,
  { user_id: userId, report_id: reportId = null }: Pick<DecisionMailJob, 'user_id' | 'report_id'>,
  type: 'moderation_decision' | 'report_decided',
): Promise<ReportContact | undefined> {
  if (reportId !== null) return findReportContact(ctx.db, reportId);
  if (userId === null) return undefined;
  const user = await findUser(ctx.db, userId);
  if (!user?.email_verified_at) return undefined;
  return allNotificationPrefs(user.notification_prefs).email[type] ? user : undefined;
}

interface Composed {
  subject: string;
  decision: Pick<queries.Decision, 'about' | 'about_language'>;
}

const compose = (
  { email, language }: ReportContact,
  { subject, decision }: Composed,
  paragraphs: string[],
): Mail => ({
  kind: 'moderation-decision',
  cause: 'own act',
  to: email,
  language,
  subject: subject.replaceAll(/\s+/g, ' '),
  text: [subject, ...paragraphs].join('\n\n'),
  written: [{ text: withoutLinks(decision.about), language: decision.about_language }],
});
