import { listCategories } from '../campaigns/categories/categories.ts';
import {
  closePetition,
  createPetition,
  declareVictory,
  publishPetition,
} from '../campaigns/petitions/write.ts';
import { createUser, updateAccount } from '../identity/accounts/accounts.ts';
import { hashPassword } from '../identity/accounts/passwords.ts';
import type { Context } from '../platform/context.ts';
import { transaction, type Tx } from '../platform/db.ts';
import type { Caller, UserRole } from '../platform/http/route.ts';
import { canonicalPlace } from '../platform/places.ts';
import { slugify } from '../platform/slug.ts';
import { rebuildOverallSums, rebuildSums } from '../reach/analytics/rebuilding.ts';
import { demoPassword, emailOf, people, type DemoPerson } from './demo-people.ts';
import {
  createRandom,
  chooseSigners,
  makeCrowd,
  planSignatures,
  type Random,
  type CrowdMember,
  type PlannedSignature,
  type Signer,
} from './demo-plan.ts';
import * as queries from './demo-queries.ts';
import { petitions, type DemoPetition } from './demo-world.ts';

const crowdSize = 3000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export interface DemoWorld {
  people: number;
  petitions: number;
  signatures: number;
}

/**
 * Creates the demo world in one transaction: the same people, texts and signers in every run, at times relative to
 * now. Returns undefined if some of its people exist already.
 */
export async function makeDemoWorld(ctx: Context): Promise<DemoWorld | undefined> {
  const passwordHash = await hashPassword(demoPassword);
  return transaction(ctx.db, async (tx) => {
    await queries.lockDemo(tx);
    if (await queries.anyUserWith(tx, people.map(emailOf))) return undefined;
    // Publishes its petitions at once, whatever the moderation mode.
    const own = { ...ctx, db: tx, config: { ...ctx.config, moderation: 'off' as const } };
    return fill(own, tx, createRandom(2026), passwordHash);
  });
}

async function fill(
  ctx: Context,
  tx: Tx,
  random: Random,
  passwordHash: string,
): Promise<DemoWorld> {
  const now = ctx.now().getTime();
  const byName = new Map<string, Signer & { caller: Caller }>();
  for (const person of people) {
    const joinedMs = now - (300 + 120 * random.number()) * dayMs;
    const caller = await addPerson(ctx, tx, person, random.id(joinedMs), joinedMs, passwordHash);
    byName.set(person.name, { id: caller.userId, place: person.place, caller });
  }
  const crowd = makeCrowd(random, crowdSize);
  const plans = [];
  for (const petition of petitions) {
    const creator = byName.get(petition.by)!;
    const id = await addPetition(ctx, creator.caller, petition);
    const others = [...byName.values(), ...crowd].filter((person) => person !== creator);
    const times = timesOf(random, petition, now);
    const signatures = planPetition(random, petition, creator, others, times, now);
    plans.push({ petition, id, caller: creator.caller, times, signatures });
  }
  const signers = createAccounts(
    random,
    crowd,
    plans.flatMap(({ signatures }) => signatures),
  );
  await queries.insertUsers(tx, signers);
  for (const { id, signatures } of plans) {
    await queries.insertSignatures(tx, toRows(id, signatures));
  }
  await queries.updateCounts(
    tx,
    plans.map(({ id }) => id),
  );
  for (const plan of plans) {
    await endPetition(ctx, plan.caller, plan.id, plan.petition);
    await queries.backdatePetition(tx, plan.id, plan.times);
  }
  await createSums(
    tx,
    plans.map(({ id }) => id),
    new Date(now),
  );
  return {
    people: people.length + signers.length,
    petitions: plans.length,
    signatures: plans.reduce((sum, { signatures }) => sum + signatures.length, 0),
  };
}

/** Creates the sums that followers of events would have created. */
async function createSums(tx: Tx, petitionIds: string[], now: Date): Promise<void> {
  await rebuildSums(tx, petitionIds, now);
  await rebuildOverallSums(tx);
  await queries.insertViews(tx, petitionIds);
}

async function addPerson(
  ctx: Context,
  tx: Tx,
  person: DemoPerson,
  id: string,
  joinedMs: number,
  passwordHash: string,
): Promise<Caller> {
  const { name, bio, verified = false } = person;
  const role: UserRole = person.role ?? 'user';
  const email = emailOf(person);
  await createUser(tx, { id, email, passwordHash, displayName: name, role, verified });
  const caller = {
    userId: id,
    role,
    sessionId: id,
    tokenId: id,
    expiresAt: 0,
    credential: { kind: 'login' } as const,
  };
  if (bio) await updateAccount(ctx, caller, { bio });
  await queries.backdateUser(tx, id, new Date(joinedMs));
  return caller;
}

/** Stores the petition, and publishes it unless it stays a draft. */
async function addPetition(ctx: Context, caller: Caller, petition: DemoPetition): Promise<string> {
  const categories = await listCategories(ctx);
  const categoryId = categories.find(({ slug }) => slug === petition.category)?.id;
  const [locationCity, locationCountry] = petition.place;
  const { id } = await createPetition(ctx, caller, {
    title: petition.title,
    description: petition.text,
    tags: petition.tags,
    locationCity,
    locationCountry,
    ...(categoryId && { categoryId }),
    ...(petition.goal && { signatureGoal: petition.goal }),
    ...(petition.makers && { decisionMakers: petition.makers }),
    ...(petition.visibility && { visibility: petition.visibility }),
    ...(petition.signaturePrivacy && { signaturePrivacy: petition.signaturePrivacy }),
  });
  if (petition.state.is !== 'draft') await publishPetition(ctx, caller, id);
  return id;
}

/** Draws the times of a petition: in the daytime of the days given by its state. */
function timesOf(random: Random, { state }: DemoPetition, now: number): queries.PetitionTimes {
  const today = now - (now % dayMs);
  const ago = (days: number) =>
    new Date(Math.floor(today - (days - 1 / 3 - random.number() / 2) * dayMs));
  if (state.is === 'draft') return { created: ago(state.written) };
  return {
    created: ago(state.published + 1),
    published: ago(state.published),
    ...(state.is !== 'active' && { closed: ago(state.ended) }),
  };
}

function planPetition(
  random: Random,
  petition: DemoPetition,
  creator: Signer,
  others: Signer[],
  times: queries.PetitionTimes,
  now: number,
): PlannedSignature[] {
  const { state, place } = petition;
  if (state.is === 'draft' || !times.published) return [];
  const signers = [creator, ...chooseSigners(random, others, state.signatures - 1, place[1])];
  const until = times.closed?.getTime() ?? now;
  return planSignatures(random, petition, signers, [times.published.getTime(), until]);
}

/** Returns accounts for the members of the crowd who sign, created just before their first signature. */
function createAccounts(
  random: Random,
  crowd: CrowdMember[],
  signatures: PlannedSignature[],
): queries.BulkUser[] {
  for (const { user, createdAt } of signatures) {
    if ('firstSigned' in user) {
      const member = user as CrowdMember;
      member.firstSigned = Math.min(member.firstSigned, createdAt);
    }
  }
  return crowd
    .filter(({ firstSigned }) => Number.isFinite(firstSigned))
    .map((member) => {
      const joinedMs = member.firstSigned - 60_000 - random.below(hourMs / 4);
      member.id = random.id(joinedMs);
      const slug = `${slugify(member.name, 'user')}-${member.email.slice(7, 11)}`;
      return {
        id: member.id,
        email: member.email,
        name: member.name,
        slug,
        joined: new Date(joinedMs),
      };
    });
}

/** Sources of visits, weighted by repetition. */
const sources = [null, null, 'facebook.com', null, 'newsletter', 't.me', null, 'facebook.com'];

const toRows = (petitionId: string, signatures: PlannedSignature[]): queries.PastSignature[] =>
  signatures.map(({ user, createdAt, ...signature }, index) => ({
    ...signature,
    petitionId,
    userId: user.id,
    createdAt: new Date(createdAt),
    // Without a location, the country of the address counts.
    place: canonicalPlace(signature.displayLocation, { country: user.place.slice(-2) }),
    source: sources[index % sources.length]!,
  }));

/** Closes the petition, or declares victory, by its state. */
async function endPetition(
  ctx: Context,
  caller: Caller,
  id: string,
  { state }: DemoPetition,
): Promise<void> {
  if (state.is === 'closed') await closePetition(ctx, caller, id);
  if (state.is === 'victory') await declareVictory(ctx, caller, id, state.message);
}
