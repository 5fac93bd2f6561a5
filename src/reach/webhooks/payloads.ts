import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import type { EventType, LoggedEvent, PublicEventType } from '../../platform/events.ts';
import { responsesForEvents } from '../../campaigns/decision-makers/decision-makers.ts';
import { petitionsForEvents } from '../../campaigns/petitions/read.ts';
import { findSignatures } from '../../campaigns/signatures/signatures.ts';
import { findUpdates } from '../../campaigns/updates/updates.ts';
import { paymentsForEvents } from '../payments/payments.ts';
import { countOnlyPetitions, knownActors, type Payload } from './payload-queries.ts';
import type { EventBody } from './schema.ts';

/** What an event's `data` holds besides petition_id, and the users whom it names. */
interface Told {
  data: Record<string, unknown>;
  named?: (string | undefined)[];
}

interface Reading {
  ctx: Context;
  db: Db;
  /** Petitions that tell nobody who signed them. */
  countOnly: Set<string>;
}

/** Reads what is told of many events of one kind with a query or two; in the order of the events. */
type Reader = (reading: Reading, events: LoggedEvent[]) => Promise<Told[]>;

/** What of a petition an event itself settles, whatever has become of it since. */
const settled: Partial<Record<EventType, object>> = {
  'petition.created': { status: 'draft', published_at: null, closed_at: null },
  'petition.published': { status: 'active', closed_at: null },
  'petition.closed': { status: 'closed' },
  'petition.victory': { status: 'victory' },
};

/** The petition as everybody sees it who may know of it: as it is now, but in the event's state. */
const petition: Reader = async ({ ctx, db }, events) => {
  const petitions = await petitionsForEvents(ctx, db, petitionIdsOf(events));
  return events.map(({ petitionId, type }) => {
    const shown = petitions.get(petitionId ?? '');
    return { data: { ...shown, ...(shown && settled[type]) }, named: [shown?.creator?.id] };
  });
};

/**
 * The signature as lists show it, and the count with it. One whose petition tells nobody who signed is
 * told as an anonymous one without words. Of one that was withdrawn meanwhile words and profile are gone;
 * whether it was anonymous, its event still says.
 */
const signature: Reader = async ({ db, countOnly }, events) => {
  const tellable = events.filter(({ petitionId }) => !countOnly.has(petitionId!));
  const rows = await findSignatures(
    db,
    tellable.map(({ petitionId, data }) => ({
      petitionId: petitionId!,
      id: String(data.signature_id),
    })),
  );
  const signatures = new Map(rows.map((row) => [row.id, row]));
  return events.map(({ actor, petitionId, data, createdAt: created_at }) => {
    const { signature_id: id, signature_count } = data;
    const is_anonymous = actor.id === null || countOnly.has(petitionId!);
    const silent = { user: null, comment: null, is_anonymous, display_location: null };
    const shown = signatures.get(String(id)) ?? { ...silent, created_at };
    return { data: { id, ...shown, signature_count }, named: [shown.user?.id] };
  });
};

/** What is left: not the facts beside it, which tell where the signer was. */
const removal: Reader = async (_, events) =>
  events.map(({ data: { signature_id, signature_count } }) => ({
    data: { signature_id, signature_count },
  }));

/** The count at the milestone is the milestone. */
const milestone: Reader = async (_, events) =>
  events.map(({ data: { signature_count: count } }) => ({
    data: { threshold: count, signature_count: count },
  }));

/** What the API shows under the id that events tell by that name; of what is no more, its id. */
const shownById =
  (idName: string, find: (db: Db, ids: string[]) => Promise<{ id: string }[]>): Reader =>
  async ({ db }, events) => {
    const ids = events.map(({ data }) => String(data[idName]));
    const shown = new Map((await find(db, ids)).map((one) => [one.id, one]));
    return ids.map((id) => ({ data: { ...(shown.get(id) ?? { id }) } }));
  };

const update = shownById('update_id', findUpdates);
const response = shownById('response_id', responsesForEvents);
const payment = shownById('payment_id', paymentsForEvents);

/**
 * How each kind of event is told. A slice whose events hold ids only gives a reader of its own, which
 * shows its object as the API does.
 */
const readers: Record<PublicEventType, Reader> = {
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
};

/**
 * Writes out what is told of events, all with a few queries. The same body goes to everybody, so it holds
 * nothing that only some of them may see.
 */
export async function writePayloads(
  ctx: Context,
  db: Db,
  events: LoggedEvent[],
): Promise<Payload[]> {
  const known = await knownActors(db, [...new Set(events.flatMap(({ actor }) => actor.id ?? []))]);
  const ofSignatures = events.filter(isOfSignature);
  const countOnly = await countOnlyPetitions(db, petitionIdsOf(ofSignatures));
  const reading = { ctx, db, countOnly };
  const payloads: Payload[] = [];
  const groups = Map.groupBy(events, ({ type }) => readers[type as PublicEventType]);
  for (const [reader, group] of groups) {
    const told = await reader(reading, group);
    group.forEach((event, index) => {
      const secret = isOfSignature(event) && countOnly.has(event.petitionId!);
      const by = triggeredBy(event, known, secret);
      const { data, named = [] } = told[index]!;
      payloads.push(write(event, { data, named: [...named, known.get(by.id ?? '')] }, by));
    });
  }
  return payloads;
}

const isOfSignature = ({ type }: LoggedEvent) => type.startsWith('signature.');

const petitionIdsOf = (events: LoggedEvent[]) => [
  ...new Set(events.flatMap(({ petitionId }) => petitionId ?? [])),
];

/** Who did it: without an id where that would tell who signed, or where the account was erased. */
function triggeredBy({ actor }: LoggedEvent, known: Map<string, string>, secret: boolean) {
  const { type, id } = actor;
  const isOfUser = type === 'user' || type === 'api_key';
  const mustBeKnown = isOfUser || type === 'admin';
  const hidden = (secret && isOfUser) || (mustBeKnown && !known.has(id ?? ''));
  return { type, id: hidden ? null : id };
}

function write(
  event: LoggedEvent,
  { data, named = [] }: Told,
  triggered_by: EventBody['triggered_by'],
): Payload {
  const { id, type, petitionId, createdAt, transaction, position } = event;
  const body = {
    id,
    type: type as PublicEventType,
    created_at: createdAt,
    triggered_by,
    data: { petition_id: petitionId, ...data },
  } satisfies EventBody;
  const people = new Set(named.flatMap((one) => one ?? []));
  return {
    eventId: id,
    transaction,
    position,
    body: JSON.stringify(body),
    named: [...people],
  };
}
