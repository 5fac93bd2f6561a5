import en from '../../../locales/en/notifications.json' with { type: 'json' };
import type { NotificationType } from '../../identity/accounts/schema.ts';
import { catalog, plainText, type Catalog } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';
import type { NoticeData } from './schema.ts';

/** Texts of notifications, their mails and the page that stops these. */
export const noticeTexts = catalog('notifications', en);

/** What there is to say, and of how many. */
export interface EventData {
  type: NotificationType;
  about: string;
  detail: string | null;
  data: NoticeData;
  count: number;
}

export interface Text {
  title: string;
  body: string;
}

type Name = typeof noticeTexts extends Catalog<infer N> ? N : never;
interface Wording {
  title: Name;
  /** Or a text that a person wrote. */
  body: Name | { written: string };
  count?: number;
}

const wordings: Record<NotificationType, (event: EventData) => Wording> = {
  signature_milestone: ({ data }) => ({
    title: 'milestone',
    body: 'milestone_body',
    count: Number(data.signature_count),
  }),
  petition_update: ({ detail }) => ({ title: 'update', body: { written: detail ?? '' } }),
  petition_victory: () => ({ title: 'victory', body: 'victory_body' }),
  petition_closed: () => ({ title: 'closed', body: 'closed_body' }),
  comment_reply: ({ count }) => ({ title: 'reply', body: 'reply_body', count }),
  petition_comment: ({ count }) => ({ title: 'comment', body: 'comment_body', count }),
  response_published: () => ({ title: 'response', body: 'response_body' }),
  org_member_added: () => ({ title: 'member', body: 'member_body' }),
  moderation_warning: ({ detail }) => ({
    title: 'warning',
    body: detail === null ? 'warning_body' : { written: detail },
  }),
  petition_under_review: ({ data, detail }) => reviews[String(data.status)]!(detail),
  webhook_disabled: () => ({ title: 'webhook', body: 'webhook_body' }),
};

const reviews: Record<string, (reason: string | null) => Wording> = {
  under_review: () => ({ title: 'review', body: 'review_body' }),
  active: () => ({ title: 'approved', body: 'approved_body' }),
  draft: (reason) => ({ title: 'rejected', body: reason ? 'rejected_reason' : 'rejected_body' }),
};

/** The text of a notification, or of a part of a mail. */
export function textOf(event: EventData, language: Language = 'en'): Text {
  const { title, body, count = event.count } = wordings[event.type](event);
  const say = (name: Name) =>
    plainText(noticeTexts, language, name, {
      about: event.about,
      reason: event.detail ?? '',
      count,
    });
  return { title: say(title), body: typeof body === 'string' ? say(body) : body.written };
}

/** The subject of a kind of mail. */
export const subjectOf = (type: NotificationType, language: Language = 'en'): string =>
  plainText(noticeTexts, language, type);
