import type { NotificationType } from '../../identity/accounts/schema.ts';
import type { NoticeData } from './schema.ts';

/** What there is to say, and of how many. */
export interface Told {
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

const number = (value: unknown) => Number(value).toLocaleString('en');

const texts: Record<NotificationType, (told: Told) => Text> = {
  signature_milestone: ({ about, data }) => ({
    title: `${signers(Number(data.signature_count))} signed “${about}”`,
    body: 'Thank them, and tell them what comes next.',
  }),
  petition_update: ({ about, detail }) => ({ title: `News on “${about}”`, body: detail ?? '' }),
  petition_victory: ({ about }) => ({
    title: `Victory: “${about}”`,
    body: 'The petition that you signed has reached what it asked for.',
  }),
  petition_closed: ({ about }) => ({
    title: `“${about}” is closed`,
    body: 'It takes no more signatures.',
  }),
  comment_reply: ({ about, count }) => ({
    title: `${howMany(count, 'reply', 'replies')} to your comment on “${about}”`,
    body: 'Read what was answered.',
  }),
  petition_comment: ({ about, count }) => ({
    title: `${howMany(count, 'comment', 'comments')} on “${about}”`,
    body: 'Read what people say.',
  }),
  response_published: ({ about }) => ({
    title: `A response to “${about}”`,
    body: 'A decision maker has answered the petition.',
  }),
  org_member_added: ({ about }) => ({
    title: `You are now a member of ${about}`,
    body: 'You can create petitions in its name.',
  }),
  moderation_warning: ({ detail }) => ({
    title: 'A moderator has warned you',
    body:
      detail ??
      'Something that you posted is against the rules. Your account can be suspended if it happens again.',
  }),
  petition_under_review: ({ about, detail, data }) => reviews[String(data.status)]!(about, detail),
  webhook_disabled: () => ({
    title: 'A webhook endpoint was switched off',
    body: 'Deliveries to it failed for too long, or it asked for no more. You can switch it on again.',
  }),
};

const reviews: Record<string, (about: string, reason: string | null) => Text> = {
  under_review: (about) => ({
    title: `“${about}” is under review`,
    body: 'Moderators look at it. Until they are done, nobody else sees it.',
  }),
  active: (about) => ({ title: `“${about}” was approved`, body: 'Everybody can see and sign it.' }),
  draft: (about, reason) => ({
    title: `“${about}” was not approved`,
    body: `It is a draft again.${reason ? ` The reason: ${reason}` : ''}`,
  }),
};

const signers = (count: number) =>
  count === 1 ? 'One person has' : `${number(count)} people have`;

const howMany = (count: number, one: string, many: string) =>
  count === 1 ? `A new ${one}` : `${number(count)} new ${many}`;

/** What a notification, or a part of a mail, says. */
export const textOf = (told: Told): Text => texts[told.type](told);

/** What each kind of mail is about, as people are told who get them. */
export const subjects: Record<NotificationType, string> = {
  signature_milestone: 'how many have signed your petitions',
  petition_update: 'news on petitions that you signed',
  petition_victory: 'victories of petitions that you signed',
  petition_closed: 'the closing of petitions that you signed',
  comment_reply: 'replies to your comments',
  petition_comment: 'comments on your petitions',
  response_published: 'responses of decision makers',
  org_member_added: 'organizations that you are added to',
  moderation_warning: 'warnings of moderators',
  petition_under_review: 'reviews of your petitions',
  webhook_disabled: 'webhook endpoints that are switched off',
};
