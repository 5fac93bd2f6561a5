import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import type { EventType, LoggedEvent } from '../../platform/events.ts';
import { responsesForEvents } from '../../campaigns/decision-makers/decision-makers.ts';
import { findPetitionsForEvents } from '../../campaigns/petitions/read.ts';
import { findSignatures } from '../../campaigns/signatures/signatures.ts';
import { findUpdates } from '../../campaigns/updates/updates.ts';
import { paymentsForEvents } from '../payments/payments.ts';
import { findEvents } from './log-queries.ts';
import * as queries from './payload-queries.ts';
import type { Payload, StoredPayload } from './payload-queries.ts';
import type { EventBody, WebhookEventType } from './schema.ts';

/** An event's `data` without petition_id, and the users whom it names. */
interface EventData {
  data: Record<string, unknown>;
  named?: (string | undefined)[];
}

interface ReadContext {
  ctx: Context;
  db: Db;
  /** Petitions that hide their signers from all. */
  countOnly: Set<string>;
}

/** Reads the data of events of one kind with a query or two. Keeps the order of the events. */
type Reader = (context: ReadContext, events: LoggedEvent[]) => Promise<EventData[]>;

/** Members of a petition as they were at the event, whatever they are now. */
const stateAtEvent: Partial<Record<EventType, object>> = {
  'petition.created': { status: 'draft', published_at: null, closed_at: null, log_id: null },
  'petition.published': { status: 'active', closed_at: null },
  'petition.closed': { status: 'closed' },
  'petition.victory': { status: 'victory' },
};

/** Reads the petition without its secrets, as it is now, but in the event's state. */
const petition: Reader = async ({ ctx, db }, events) => {
  const petitions = await findPetitionsForEvents(ctx, db, petitionIdsOf(events));
  return events.map(({ petitionId, type }) => {
    const shown = petitions.get(petitionId ?? '');
    return { data: { ...shown, ...(shown && stateAtEvent[type]) }, named: [shown?.creator?.id] };
  });
};

/**
 * Reads the signature as lists show it, and the count at the event. A signature of a `countOnly` petition
 * appears as anonymous, without comment. A withdrawn one lacks comment and profile; its event still says
 * whether it was anonymous.
 */
const signature: Reader = async ({ db, countOnly }, events) => {
  const visible = events.filter(({ petitionId }) => !countOnly.has(petitionId!));
  const rows = await findSignatures(
    db,
    visible.map(({ petitionId, data }) => ({
      petitionId: petitionId!,
      id: String(data.signature_id),
    })),
  );
  const signatures = new Map(rows.map((row) => [row.id, row]));
  return events.map(({ actor, petitionId, data, createdAt: created_at }) => {
    const { signature_id: id, signature_count } = data;
    const is_anonymous = actor.id === null || countOnly.has(petitionId!);
    const redacted = { user: null, comment: null, is_anonymous, display_location: null };
    const shown = signatures.get(String(id)) ?? { ...redacted, created_at };
    return { data: { id, ...shown, signature_count }, named: [shown.user?.id] };
  });
};

/** Takes two members of the event only: others show where the signer was. */
const removal: Reader = async (_, events) =>
  events.map(({ data: { signature_id, signature_count } }) => ({
    data: { signature_id, signature_count },
  }));

/** The count at the event is the milestone. */
const milestone: Reader = async (_, events) =>
  events.map(({ data: { signature_count: count } }) => ({
    data: { threshold: count, signature_count: count },
  }));

/** Reads the objects that the events name by `idName`, as the API shows them; only the id if it is deleted. */
const objectById =
  (idName: string, find: (db: Db, ids: string[]) => Promise<{ id: string }[]>): Reader =>
  async ({ db }, events) => {
    const ids = events.map(({ data }) => String(data[idName]));
    const shown = new Map((await find(db, ids)).map((object) => [object.id, object]));
    return ids.map((id) => ({ data: { ...(shown.get(id) ?? { id }) } }));
  };

/** The event has all of an alert, since its row goes on to change. */
const alert: Reader = async (_, events) => events.map(({ data }) => ({ data: { ...data } }));

const update = objectById('update_id', findUpdates);
const response = objectById('response_id', responsesForEvents);
const payment = objectById('payment_id', paymentsForEvents);

/** Reads the data of each type of event. Slices whose events hold only ids provide a `find…` function. */
const readers: Record<WebhookEventType, Reader> = {
  'petition.created': petition,
  'petition.updated': petition,
  'petition.published': petition,
  'petition.closed': petition,
  'petition.victory': petition,
  'signature.created': signature,
  'signature.milestone': milestone,
  'signature.removed': removal,
  'update.created': update,
  'payment.completed': payment,
  'response.submitted': response,
  'response.published': response,
  'integrity.alert': alert,
};

/**
 * Composes the bodies of events with a few queries. Every receiver gets the same body, so it holds only
 * what all of them can see.
 */
export async function composePayloads(
  ctx: Context,
  db: Db,
  events: LoggedEvent[],
): Promise<Payload[]> {
  const knownUsers = await queries.findActorUsers(db, [
    ...new Set(events.flatMap(({ actor }) => actor.id ?? [])),
  ]);
  const signatureEvents = events.filter(isOfSignature);
  const countOnly = await queries.findCountOnlyPetitions(db, petitionIdsOf(signatureEvents));
  const context = { ctx, db, countOnly };
  const payloads: Payload[] = [];
  const groups = Map.groupBy(events, ({ type }) => readers[type as WebhookEventType]);
  for (const [reader, group] of groups) {
    const read = await reader(context, group);
    group.forEach((event, index) => {
      const hideSigner = isOfSignature(event) && countOnly.has(event.petitionId!);
      const by = triggeredBy(event, knownUsers, hideSigner);
      const { data, named = [] } = read[index]!;
      payloads.push(compose(event, { data, named: [...named, knownUsers.get(by.id ?? '')] }, by));
    });
  }
  return payloads;
}

const isOfSignature = ({ type }: LoggedEvent) => type.startsWith('signature.');

const petitionIdsOf = (events: LoggedEvent[]) => [
  ...new Set(events.flatMap(({ petitionId }) => petitionId ?? [])),
];

/** Returns the actor, without id if that would reveal a hidden signer or the account was erased. */
function triggeredBy({ actor }: LoggedEvent, known: Map<string, string>, hideSigner: boolean) {
  const { type, id } = actor;
  const isOfUser = type === 'user' || type === 'api_key';
  const mustBeKnown = isOfUser || type === 'admin';
  const isHidden = (hideSigner && isOfUser) || (mustBeKnown && !known.has(id ?? ''));
  return { type, id: isHidden ? null : id };
}

function compose(
  event: LoggedEvent,
  { data, named = [] }: EventData,
  triggered_by: EventBody['triggered_by'],
): Payload {
  const { id, type, petitionId, createdAt, transaction, position } = event;
  const body = {
    id,
    type: type as WebhookEventType,
    created_at: createdAt,
    triggered_by,
    data: { petition_id: petitionId, ...data },
  } satisfies EventBody;
  const userIds = new Set(named.flatMap((userId) => userId ?? []));
  return { event_id: id, transaction, position, body: JSON.stringify(body), named: [...userIds] };
}

/** Returns the bodies of events, and composes those that were never sent. */
export async function bodiesOf(ctx: Context, events: LoggedEvent[]): Promise<EventBody[]> {
  const ids = events.map(({ id }) => id);
  const bodies = storedBodies(await queries.findPayloads(ctx.db, ids));
  const missing = events.filter(({ id }) => !bodies.has(id));
  for (const { event_id, body } of await composePayloads(ctx, ctx.db, missing)) {
    bodies.set(event_id, body);
  }
  return ids.map((id) => JSON.parse(bodies.get(id)!) as EventBody);
}

/**
 * Returns the bodies of deliveries by event id, without events that are no longer kept. A body stays the
 * same until an account that it names is erased; then it is composed again.
 */
export async function deliveryBodies(
  ctx: Context,
  eventIds: string[],
): Promise<Map<string, string>> {
  const payloads = await queries.findPayloads(ctx.db, eventIds);
  const bodies = storedBodies(payloads);
  const positions = payloads.flatMap(({ body, transaction, position }) =>
    body === null && transaction !== null && position !== null ? [{ transaction, position }] : [],
  );
  if (positions.length === 0) return bodies;
  const events = await findEvents(ctx.db, positions);
  for (const payload of await composePayloads(ctx, ctx.db, events)) {
    bodies.set(payload.event_id, await queries.restoreBody(ctx.db, payload));
  }
  return bodies;
}

const storedBodies = (payloads: StoredPayload[]) =>
  new Map(payloads.flatMap(({ event_id, body }) => (body ? [[event_id, body]] : [])));
