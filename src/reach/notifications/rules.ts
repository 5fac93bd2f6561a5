import type { EventType, LoggedEvent } from '../../platform/events.ts';
import { derivedId } from '../../platform/ids.ts';
import type { FanOut } from './fan-out-queries.ts';
import type { Notice, NoticeData } from './schema.ts';

/** What an event refers to. Deleted and hidden things are undefined. */
export interface EventContext {
  petition: PetitionContext | undefined;
  /** Whose signature it was. The event's actor lacks anonymous signers and those who use an API key. */
  signerId: string | undefined;
  comment: CommentContext | undefined;
  update: UpdateContext | undefined;
  organization: OrganizationContext | undefined;
  /** Text of the moderator's warning. */
  warning: string | undefined;
  /** Reason of the moderator's decision. */
  reason: string | undefined;
  decision: DecisionContext | undefined;
  complaint: ComplaintContext | undefined;
  /** Moderators and administrators, for events that concern all of them. */
  moderatorIds: string[];
}

export interface PetitionContext {
  id: string;
  slug: string;
  title: string;
  creator_id: string | null;
  /** Who organizes it with the creator. */
  organizer_ids: string[];
}

export interface CommentContext {
  id: string;
  user_id: string | null;
  parent_id: string | null;
  parent_user_id: string | null;
}

/** A decision of a moderator. */
export interface DecisionContext {
  id: string;
  act: string;
  /** Title of the petition; empty for accounts. */
  about: string;
  /** Whom it concerns. */
  user_id: string | null;
  reason: string | null;
  reporter_ids: string[];
}

/** A complaint about a decision, and how that was decided. */
export interface ComplaintContext {
  id: string;
  decision_id: string;
  act: string;
  about: string;
  side: string;
  status: string;
  /** Who complained. */
  user_id: string | null;
  decision_reason: string | null;
}

export interface UpdateContext {
  id: string;
  title: string;
}

export interface OrganizationContext {
  id: string;
  name: string;
  slug: string;
}

/** A notice and its recipients. */
export interface NoticeDraft
  extends Pick<Notice, 'type' | 'about' | 'data'>, Partial<Pick<Notice, 'detail' | 'group_id'>> {
  /** The notice is deleted with this account, since its text is for that person alone. */
  for_user_id?: string;
  to: (string | null)[];
  /** Also notify all signers of the petition, or all followers who have not signed it, except its creator. */
  audience?: FanOut['audience'];
}

type Rule = (event: LoggedEvent, context: EventContext) => (NoticeDraft | undefined)[];

/** Which notices each event causes: docs/specification/community.md, Notifications. */
export const rules = {
  'signature.milestone': ({ data }, { petition, signerId }) => [
    petition && {
      type: 'signature_milestone',
      ...of(petition, { signature_count: Number(data.signature_count) }),
      to: teamOf(petition).filter((id) => id !== signerId),
    },
  ],
  'update.created': ({ data }, { petition, update }) => [
    petition &&
      update && {
        type: 'petition_update',
        ...of(petition, { update_id: String(data.update_id) }),
        detail: update.title,
        to: [],
        audience: 'signers',
      },
  ],
  'petition.updated': ({ data, actor }, { petition, moderatorIds }) => {
    // Of changes of the text after many had signed; the follower skips those who signed later.
    if (!petition || data.signed_before === undefined) return [];
    return [
      {
        type: 'petition_changed',
        ...of(petition, { version: Number(data.version) }),
        // Merges unread notices of several changes.
        group_id: derivedId(petition.id, 'petition_changed'),
        to: [],
        audience: 'signers',
      },
      // A moderator's own text waits for nobody.
      actor.type === 'admin' ? undefined : queued('change', moderatorIds),
    ];
  },
  'petition.deleted': ({ actor }) => [
    // Without a title, which may be why it was removed.
    actor.type === 'admin'
      ? {
          type: 'petition_closed',
          about: '',
          data: { removed: 'yes' },
          to: [],
          audience: 'signers',
        }
      : undefined,
  ],
  'petition.victory': (_, { petition }) => [
    petition && { type: 'petition_victory', ...of(petition), to: [], audience: 'signers' },
  ],
  'petition.closed': (event, { petition }) => [
    petition && {
      type: 'petition_closed',
      ...of(petition),
      to: teamUnlessActor(event, petition),
      audience: 'signers',
    },
  ],
  'petition.closing': ({ data }, { petition }) => [
    petition && {
      type: 'petition_closing',
      ...of(petition, { closes_at: String(data.closes_at) }),
      to: teamOf(petition),
      audience: 'followers',
    },
  ],
  'comment.created': ({ data }, { petition, comment }) => {
    if (!petition || !comment) return [];
    const { user_id: author, parent_id, parent_user_id: answered } = comment;
    const about = of(petition, { comment_id: String(data.comment_id), parent_id });
    const reply: NoticeDraft | undefined =
      parent_id !== null && answered !== author
        ? { type: 'comment_reply', ...about, group_id: parent_id, to: [answered] }
        : undefined;
    const creator = petition.creator_id;
    if (creator === author) return [reply];
    return [reply, { type: 'petition_comment', ...about, group_id: petition.id, to: [creator] }];
  },
  'response.submitted': ({ data }, { petition }) => [
    petition && {
      type: 'response_submitted',
      ...of(petition, { response_id: String(data.response_id) }),
      to: [petition.creator_id],
    },
  ],
  'response.published': (event, { petition }) => [
    petition && {
      type: 'response_published',
      ...of(petition, { response_id: String(event.data.response_id) }),
      to: teamUnlessActor(event, petition),
      audience: 'signers',
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
      for_user_id: String(data.user_id),
      to: [String(data.user_id)],
    },
  ],
  'moderation.decided': (_, { decision }) => {
    if (!decision) return [];
    const { id, act, about, user_id: userId, reason, reporter_ids: reporterIds } = decision;
    const data = { decision_id: id, act };
    return [
      userId === null
        ? undefined
        : {
            type: 'moderation_decision',
            about,
            detail: reason,
            data: { ...data, side: 'author' },
            for_user_id: userId,
            to: [userId],
          },
      // Without a title: it would stay when the petition goes.
      { type: 'report_decided', about: '', data: { ...data, side: 'reporter' }, to: reporterIds },
    ];
  },
  'complaint.decided': (_, { complaint }) => {
    if (!complaint || complaint.user_id === null) return [];
    const { id, decision_id, act, about, side, status, user_id: userId } = complaint;
    return [
      {
        type: 'moderation_decision',
        about,
        detail: complaint.decision_reason,
        data: { decision_id, act, side, complaint_id: id, outcome: status },
        for_user_id: userId,
        to: [userId],
      },
    ];
  },
  'petition.under_review': (event, { petition, moderatorIds }) => [
    petition && review(event, petition),
    // A moderator who put it there has decided on it.
    petition && event.actor.type !== 'admin' ? queued('petition', moderatorIds) : undefined,
  ],
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
  'integrity.alert': ({ data }, { petition, moderatorIds }) => [
    petition && {
      type: 'integrity_alert',
      ...of(petition, { alert_id: String(data.id), kind: String(data.kind) }),
      // Apart from comments on the petition, which are merged too.
      group_id: derivedId(petition.id, 'integrity_alert'),
      to: moderatorIds,
    },
  ],
  'moderation.queued': ({ data }, { moderatorIds }) => [queued(String(data.kind), moderatorIds)],
} as const satisfies Partial<Record<EventType, Rule>>;

const of = ({ id, slug, title }: PetitionContext, data: NoticeData = {}) => ({
  about: title,
  data: { petition_id: id, slug, ...data },
});

/** The creator, and those who organize the petition with them. */
const teamOf = ({ creator_id, organizer_ids }: PetitionContext) => [creator_id, ...organizer_ids];

/** The team, without its creator if the event was caused by a user or an API key: only creators can cause it. */
const teamUnlessActor = (event: LoggedEvent, petition: PetitionContext) => [
  ...creatorUnlessActor(event, petition),
  ...petition.organizer_ids,
];

const creatorUnlessActor = ({ actor }: LoggedEvent, { creator_id }: PetitionContext) =>
  actor.type === 'user' || actor.type === 'api_key' ? [] : [creator_id];

const statuses: Partial<Record<EventType, string>> = {
  'petition.under_review': 'under_review',
  'petition.approved': 'active',
  'petition.rejected': 'draft',
};

/** A rejection is for the creator alone, as is its reason. */
const review = (event: LoggedEvent, petition: PetitionContext, reason?: string): NoticeDraft => ({
  type: 'petition_under_review',
  ...of(petition, { status: statuses[event.type]! }),
  ...(reason !== undefined && { detail: reason }),
  ...(reason !== undefined && petition.creator_id && { for_user_id: petition.creator_id }),
  to:
    event.type === 'petition.rejected'
      ? creatorUnlessActor(event, petition)
      : teamUnlessActor(event, petition),
});

/** All unread ones of a moderator are merged. */
const queueGroupId = derivedId('00000000-0000-0000-0000-000000000000', 'moderation_queue');

/** Something new waits for moderators. Names neither what it is about nor who caused it. */
const queued = (kind: string, moderatorIds: string[]): NoticeDraft => ({
  type: 'moderation_queue',
  about: '',
  data: { kind },
  group_id: queueGroupId,
  to: moderatorIds,
});

/**
 * Returns the notices of an event, without recipients that caused it or no longer exist. A user who is a
 * recipient of several gets the first one that their preferences allow.
 */
export function noticesFor(event: LoggedEvent, context: EventContext): NoticeDraft[] {
  const rule = rules[event.type as keyof typeof rules] as Rule | undefined;
  return (rule?.(event, context) ?? [])
    .filter((draft) => draft !== undefined)
    .map((draft) => ({
      ...draft,
      to: draft.to.filter((id) => id !== null && id !== event.actor.id),
    }))
    .filter(({ to, audience }) => to.length > 0 || audience);
}
