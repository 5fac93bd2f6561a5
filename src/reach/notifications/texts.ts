import en from '../../../locales/en/notifications.json' with { type: 'json' };
import type { NotificationType } from '../../identity/accounts/schema.ts';
import { catalog, plainText, timeText, type Catalog } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';
import type { Notice, Notification } from './schema.ts';

/** Texts of notifications, their mails and the page that stops these. */
export const noticeTexts = catalog('notifications', en);

/** A notice, and how many are merged into it. */
export type CountedNotice = Omit<Notice, 'group_id'> & { count: number };

type Name = typeof noticeTexts extends Catalog<infer N> ? N : never;
interface Wording {
  title: Name;
  /** Or a text that a person wrote. */
  body: Name | { written: string };
  count?: number;
}

const wordings: Record<NotificationType, (notice: CountedNotice) => Wording> = {
  signature_milestone: ({ data }) => ({
    title: 'milestone',
    body: 'milestone_body',
    count: Number(data.signature_count),
  }),
  petition_update: ({ detail }) => ({ title: 'update', body: { written: detail ?? '' } }),
  petition_victory: () => ({ title: 'victory', body: 'victory_body' }),
  petition_closed: ({ data }) =>
    data.removed === undefined
      ? { title: 'closed', body: 'closed_body' }
      : { title: 'removed', body: 'removed_body' },
  petition_closing: () => ({ title: 'closing', body: 'closing_body' }),
  comment_reply: ({ count }) => ({ title: 'reply', body: 'reply_body', count }),
  petition_comment: ({ count }) => ({ title: 'comment', body: 'comment_body', count }),
  response_submitted: () => ({ title: 'response', body: 'response_submitted_body' }),
  response_published: () => ({ title: 'response', body: 'response_body' }),
  org_member_added: () => ({ title: 'member', body: 'member_body' }),
  moderation_warning: ({ detail }) => ({
    title: 'warning',
    body: detail === null ? 'warning_body' : { written: detail },
  }),
  moderation_decision: ({ data, detail }) =>
    data.outcome === undefined
      ? {
          title: decisions[String(data.act)]!,
          body: detail === null ? 'decided_body' : 'decided_reason',
        }
      : {
          title: data.outcome === 'reversed' ? 'complaint_reversed' : 'complaint_upheld',
          body: detail === null ? 'decided_body' : 'decided_reason',
        },
  report_decided: ({ data }) => ({
    title: 'report_is_decided',
    body: reports[String(data.act)] ?? 'report_actioned',
  }),
  petition_under_review: ({ data, detail }) => reviews[String(data.status)]!(detail),
  petition_changed: () => ({ title: 'changed', body: 'changed_body' }),
  webhook_disabled: () => ({ title: 'webhook', body: 'webhook_body' }),
  integrity_alert: ({ data, count }) => ({
    title: 'alert',
    body: count > 1 ? 'alert_several' : alerts[String(data.kind)]!,
  }),
  moderation_queue: ({ count }) => ({ title: 'queue', body: 'queue_body', count }),
};

const alerts: Record<string, Name> = {
  burst: 'alert_burst',
  network: 'alert_network',
  domain: 'alert_domain',
  mailbox: 'alert_mailbox',
  country: 'alert_country',
};

const decisions: Record<string, Name> = {
  remove_petition: 'decided_remove_petition',
  hide_petition: 'decided_hide_petition',
  reject_petition: 'decided_reject_petition',
  close_petition: 'decided_close_petition',
  redact_petition: 'decided_redact_petition',
  hide_comment: 'decided_hide_comment',
  unhide_comment: 'decided_unhide_comment',
  delete_comment: 'decided_delete_comment',
  empty_reason: 'decided_empty_reason',
  delete_update: 'decided_delete_update',
  suspend_user: 'decided_suspend_user',
  unsuspend_user: 'decided_unsuspend_user',
  invalidate_signature: 'decided_signature',
  reject_signature: 'decided_signature',
  remove_signature: 'decided_signature',
};

/** What reporters learn about the acts that have words of their own. */
const reports: Record<string, Name> = {
  dismiss_report: 'report_dismissed',
  hide_petition: 'report_hidden',
  hide_comment: 'report_hidden',
  empty_reason: 'report_removed',
  remove_petition: 'report_removed',
};

const reviews: Record<string, (reason: string | null) => Wording> = {
  under_review: () => ({ title: 'review', body: 'review_body' }),
  active: () => ({ title: 'approved', body: 'approved_body' }),
  draft: (reason) => ({ title: 'rejected', body: reason ? 'rejected_reason' : 'rejected_body' }),
};

/** The text of a notification, or of a part of a mail. */
export function textOf(
  notice: CountedNotice,
  language: Language = 'en',
): Pick<Notification, 'title' | 'body'> {
  const { title, body, count = notice.count } = wordings[notice.type](notice);
  const say = (name: Name) =>
    plainText(noticeTexts, language, name, {
      about: notice.about,
      reason: notice.detail ?? '',
      date: dateIn(notice, language),
      count,
    });
  return { title: say(title), body: typeof body === 'string' ? say(body) : body.written };
}

/** When the petition closes that the notice is about. */
const dateIn = ({ data: { closes_at: at } }: CountedNotice, language: Language): string =>
  at === undefined ? '' : timeText(language, new Date(String(at)));

/** The subject of a kind of mail. */
export const subjectOf = (type: NotificationType, language: Language = 'en'): string =>
  plainText(noticeTexts, language, type);
