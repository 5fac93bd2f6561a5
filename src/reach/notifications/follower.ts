import { reasonsOf } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db.ts';
import type { EventType, LoggedEvent } from '../../platform/events.ts';
import type { EventFollower } from '../../platform/followers.ts';
import { newId } from '../../platform/ids.ts';
import * as queries from './follower-queries.ts';
import { rules, notificationsFor, type EventContext } from './rules.ts';
import { notifyUsers, type Recipient } from './notify-queries.ts';

/** What notifications need of those above them. */
export interface NotificationsDeps {
  /** What warnings say, by their ids. */
  warningTexts: (tx: Tx, ids: string[]) => Promise<Map<string, string>>;
}

/** Turns what happened into notices: told to single persons at once, to signers step by step. */
export const notificationsFollower = (needs: NotificationsDeps): EventFollower => ({
  name: 'notifications',
  types: Object.keys(rules) as EventType[],
  follow: (tx, events) => follow(tx, events, needs),
});

async function follow(tx: Tx, events: LoggedEvent[], needs: NotificationsDeps): Promise<void> {
  const knownOf = await lookUp(tx, events, needs);
  const notices: queries.NewNotice[] = [];
  const recipients: Recipient[] = [];
  const fanOuts: queries.NewFanOut[] = [];
  for (const event of events) {
    const known = knownOf(event);
    for (const { to, signers, ...telling } of notificationsFor(event, known)) {
      const noticeId = newId();
      const { id: eventId, petitionId, createdAt } = event;
      notices.push({ id: noticeId, eventId, petitionId, createdAt, ...telling });
      recipients.push(...to.map((userId) => ({ userId: userId!, noticeId })));
      if (signers) {
        const exceptIds = [known.petition?.creator_id, event.actor.id].flatMap((id) => id ?? []);
        fanOuts.push({ noticeId, petitionId: petitionId!, exceptIds });
      }
    }
  }
  if (notices.length === 0) return;
  await queries.insertNotices(tx, notices);
  await queries.insertFanOuts(tx, fanOuts);
  await notifyUsers(tx, recipients);
  const personal = notices.filter(({ forUserId }) => forUserId !== undefined);
  if (personal.length > 0) {
    await queries.deleteUnsentNotices(
      tx,
      personal.map(({ id }) => id),
    );
  }
}

/** Reads all that the events name in a few queries, however many they are. */
async function lookUp(
  tx: Tx,
  events: LoggedEvent[],
  { warningTexts }: NotificationsDeps,
): Promise<(event: LoggedEvent) => EventContext> {
  const named = (member: string) =>
    events.flatMap(({ data }) => (typeof data[member] === 'string' ? [data[member]] : []));
  const petitionIds = events.flatMap(({ petitionId }) => petitionId ?? []);
  const petitions = await queries.findPetitions(tx, petitionIds);
  const signerIds = await queries.findSigners(tx, petitionIds, named('signature_id'));
  const comments = await queries.findComments(tx, named('comment_id'));
  const updates = await queries.findUpdates(tx, named('update_id'));
  const organizations = await queries.findOrganizations(tx, named('org_id'));
  const warnings = await warningTexts(tx, named('warning_id'));
  const reasons = await reasonsOf(tx, named('act_id'));
  return ({ petitionId, data }) => ({
    petition: petitions.get(petitionId ?? ''),
    signerId: signerIds.get(String(data.signature_id)),
    comment: comments.get(String(data.comment_id)),
    update: updates.get(String(data.update_id)),
    organization: organizations.get(String(data.org_id)),
    warning: warnings.get(String(data.warning_id)),
    reason: reasons.get(String(data.act_id)),
  });
}
