import { readReasons } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db.ts';
import type { EventType, LoggedEvent } from '../../platform/events.ts';
import type { EventFollower } from '../../platform/followers.ts';
import { newId } from '../../platform/ids.ts';
import * as queries from './follower-queries.ts';
import {
  noticesFor,
  rules,
  type ComplaintContext,
  type DecisionContext,
  type EventContext,
} from './rules.ts';
import { notifyUsers, type Recipient } from './notify-queries.ts';

export interface NotificationsDeps {
  /** Returns the texts of warnings by their ids. */
  warningTexts: (tx: Tx, ids: string[]) => Promise<Map<string, string>>;
  /** Return decisions of moderators, and complaints that were decided, by their ids. */
  decisions: (tx: Tx, ids: string[]) => Promise<Map<string, DecisionContext>>;
  complaints: (tx: Tx, ids: string[]) => Promise<Map<string, ComplaintContext>>;
}

/** Events of which moderators are notified. */
const eventsForModerators: ReadonlySet<EventType> = new Set([
  'integrity.alert',
  'moderation.queued',
  'petition.under_review',
  'petition.updated',
]);

/** Creates notices from events: single users are notified at once, signers and followers by a fan-out. */
export const notificationsFollower = (deps: NotificationsDeps): EventFollower => ({
  name: 'notifications',
  types: Object.keys(rules) as EventType[],
  handleEvents: (tx, events) => follow(tx, events, deps),
});

async function follow(tx: Tx, events: LoggedEvent[], deps: NotificationsDeps): Promise<void> {
  const contextOf = await readContexts(tx, events, deps);
  const notices: queries.NewNotice[] = [];
  const recipients: Recipient[] = [];
  const fanOuts: queries.NewFanOut[] = [];
  for (const event of events) {
    const context = contextOf(event);
    for (const { to, audience, ...draft } of noticesFor(event, context)) {
      const noticeId = newId();
      const { petitionId } = event;
      notices.push({
        id: noticeId,
        event_id: event.id,
        for_user_id: null,
        petition_id: petitionId,
        group_id: null,
        detail: null,
        created_at: event.createdAt,
        ...draft,
      });
      recipients.push(...to.map((userId) => ({ userId: userId!, noticeId })));
      if (audience) {
        // Everybody in `to` is notified directly.
        const exceptIds = [...to, context.petition?.creator_id, event.actor.id].flatMap(
          (id) => id ?? [],
        );
        fanOuts.push({ noticeId, petitionId: petitionId!, exceptIds, audience });
      }
    }
  }
  if (notices.length === 0) return;
  await queries.insertNotices(tx, notices);
  await queries.insertFanOuts(tx, fanOuts);
  await notifyUsers(tx, recipients);
  const personalIds = notices.flatMap(({ id, for_user_id }) => (for_user_id === null ? [] : [id]));
  if (personalIds.length > 0) await queries.deleteUnsentNotices(tx, personalIds);
}

/** Reads what the events refer to, with one query per kind. */
async function readContexts(
  tx: Tx,
  events: LoggedEvent[],
  deps: NotificationsDeps,
): Promise<(event: LoggedEvent) => EventContext> {
  const idsIn = (member: string) =>
    events.flatMap(({ data }) => (typeof data[member] === 'string' ? [data[member]] : []));
  const petitionIds = events.flatMap(({ petitionId }) => petitionId ?? []);
  const petitions = await queries.findPetitions(tx, petitionIds);
  const signatures = await queries.findSignatures(tx, petitionIds, idsIn('signature_id'));
  const comments = await queries.findComments(tx, idsIn('comment_id'));
  const updates = await queries.findUpdates(tx, idsIn('update_id'));
  const organizations = await queries.findOrganizations(tx, idsIn('org_id'));
  const warnings = await deps.warningTexts(tx, idsIn('warning_id'));
  const decisions = await deps.decisions(tx, idsIn('decision_id'));
  const complaints = await deps.complaints(tx, idsIn('complaint_id'));
  const reasons = await readReasons(tx, idsIn('act_id'));
  const concernsModerators = events.some(({ type }) => eventsForModerators.has(type));
  const moderatorIds = concernsModerators ? await queries.findModerators(tx) : [];
  return ({ petitionId, data }) => ({
    petition: petitions.get(petitionId ?? ''),
    signerId: signatures.get(String(data.signature_id))?.user_id,
    comment: comments.get(String(data.comment_id)),
    update: updates.get(String(data.update_id)),
    organization: organizations.get(String(data.org_id)),
    warning: warnings.get(String(data.warning_id)),
    reason: reasons.get(String(data.act_id)),
    decision: decisions.get(String(data.decision_id)),
    complaint: complaints.get(String(data.complaint_id)),
    moderatorIds,
  });
}
