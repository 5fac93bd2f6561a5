import type { NotificationType } from '../../identity/accounts/schema.ts';
import type { EventType, LoggedEvent } from '../../platform/events.ts';
import type { NoticeData } from './schema.ts';

/** What can be known of the things that an event names; what is gone or hidden is undefined. */
export interface EventContext {
  petition: PetitionContext | undefined;
  /** Whose signature it was; the event does not tell of those who signed anonymously, or by a key. */
  signerId: string | undefined;
  comment: CommentContext | undefined;
  update: { title: string } | undefined;
  organization: { name: string; slug: string } | undefined;
  /** What the moderator wrote. */
  warning: string | undefined;
  /** Why a moderator did it. */
  reason: string | undefined;
}

export interface PetitionContext {
  id: string;
  slug: string;
  title: string;
  creator_id: string | null;
}

export interface CommentContext {
  user_id: string | null;
  parent_id: string | null;
  parent_user_id: string | null;
}

/** One thing to tell, and to whom. */
export interface NotificationDraft {
  type: NotificationType;
  about: string;
  detail?: string;
  data: NoticeData;
  /** Whose account's end removes it, where its words are for one person alone. */
  forUserId?: string;
  /** Unread ones of one group are shown as one. */
  groupId?: string;
  to: (string | null)[];
  /** Also to everybody who signed the petition, but its creator. */
  signers?: boolean;
}

type Rule = (event: LoggedEvent, known: EventContext) => (NotificationDraft | undefined)[];

/** Who is notified of what: docs/specification/community.md, Notifications. */
export const rules = {
  'signature.milestone': ({ data }, { petition, signerId }) => [
    petition && {
      type: 'signature_milestone',
      ...of(petition, { signature_count: Number(data.signature_count) }),
      to: petition.creator_id === signerId ? [] : [petition.creator_id],
    },
  ],
  'update.created': ({ data }, { petition, update }) => [
    petition &&
      update && {
        type: 'petition_update',
        ...of(petition, { update_id: String(data.update_id) }),
        detail: update.title,
        to: [],
        signers: true,
      },
  ],
  'petition.victory': (_, { petition }) => [
    petition && { type: 'petition_victory', ...of(petition), to: [], signers: true },
  ],
  'petition.closed': (event, { petition }) => [
    petition && {
      type: 'petition_closed',
      ...of(petition),
      to: unlessByCreator(event, petition),
      signers: true,
    },
  ],
  'comment.created': ({ data }, { petition, comment }) => {
    if (!petition || !comment) return [];
    const { user_id: author, parent_id, parent_user_id: answered } = comment;
    const about = of(petition, { comment_id: String(data.comment_id), parent_id });
    const reply: NotificationDraft | undefined =
      parent_id !== null && answered !== author
        ? { type: 'comment_reply', ...about, groupId: parent_id, to: [answered] }
        : undefined;
    const creator = petition.creator_id;
    if (creator === author) return [reply];
    return [reply, { type: 'petition_comment', ...about, groupId: petition.id, to: [creator] }];
  },
  'response.published': (event, { petition }) => [
    petition && {
      type: 'response_published',
      ...of(petition, { response_id: String(event.data.response_id) }),
      to: unlessByCreator(event, petition),
      signers: true,
    },
  ],
  'organization.member_added': ({ data }, { organization }) => [
    organization && {
      type: 'org_member_added',
      about: organization.name,
      data: { org_id: String(data.org_id), slug: organization.slug },
      to: [String(data.user_id)],
    },
  ],
  'user.warned': ({ data }, { warning }) => [
    {
      type: 'moderation_warning',
      about: '',
      ...(warning !== undefined && { detail: warning }),
      data: { warning_id: String(data.warning_id) },
      forUserId: String(data.user_id),
      to: [String(data.user_id)],
    },
  ],
  'petition.under_review': (event, { petition }) => [petition && review(event, petition)],
  'petition.approved': (event, { petition }) => [petition && review(event, petition)],
  'petition.rejected': (event, { petition, reason }) => [
    petition && review(event, petition, reason),
  ],
  'webhook.disabled': ({ data }) => [
    {
      type: 'webhook_disabled',
      about: '',
      data: { endpoint_id: String(data.endpoint_id) },
      to: [String(data.user_id)],
    },
  ],
} as const satisfies Partial<Record<EventType, Rule>>;

const of = ({ id, slug, title }: PetitionContext, data: NoticeData = {}) => ({
  about: title,
  data: { petition_id: id, slug, ...data },
});

/** The creator, unless it was they who did it, by themselves or with a key of theirs. */
const unlessByCreator = ({ actor }: LoggedEvent, { creator_id }: PetitionContext) =>
  actor.type === 'user' || actor.type === 'api_key' ? [] : [creator_id];

const statuses: Partial<Record<EventType, string>> = {
  'petition.under_review': 'under_review',
  'petition.approved': 'active',
  'petition.rejected': 'draft',
};

const review = (
  event: LoggedEvent,
  petition: PetitionContext,
  reason?: string,
): NotificationDraft => ({
  type: 'petition_under_review',
  ...of(petition, { status: statuses[event.type]! }),
  ...(reason !== undefined && { detail: reason }),
  ...(reason !== undefined && petition.creator_id && { forUserId: petition.creator_id }),
  to: unlessByCreator(event, petition),
});

/**
 * What an event gives to tell; of several things for one person they are told the first that they want.
 * Nobody is told of their own act, nor are those who are not there.
 */
export function notificationsFor(event: LoggedEvent, known: EventContext): NotificationDraft[] {
  const rule = rules[event.type as keyof typeof rules] as Rule | undefined;
  return (rule?.(event, known) ?? [])
    .filter((telling) => telling !== undefined)
    .map((telling) => ({
      ...telling,
      to: telling.to.filter((id) => id !== null && id !== event.actor.id),
    }))
    .filter(({ to, signers }) => to.length > 0 || signers);
}
