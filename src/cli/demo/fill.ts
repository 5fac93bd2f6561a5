import { listCategories } from '../../campaigns/categories/categories.ts';
import {
  closePetition,
  createPetition,
  declareVictory,
  publishPetition,
} from '../../campaigns/petitions/write.ts';
import { createOrganization } from '../../identity/organizations/organizations.ts';
import { createUser, fillMailboxes, updateAccount } from '../../identity/accounts/accounts.ts';
import { hashPassword } from '../../identity/accounts/passwords.ts';
import type { Context } from '../../platform/context.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { canonicalPlace } from '../../platform/places.ts';
import { slugify } from '../../platform/slug.ts';
import { rebuildOverallSums, rebuildSums } from '../../reach/analytics/rebuilding.ts';
import { compareAgain } from '../../reach/transparency-log/transparency-log.ts';
import { news, organizations } from './news.ts';
import { demoPassword, emailOf, people, type DemoPerson } from './people.ts';
import type { DemoPicture } from './pictures.ts';
import {
  chooseSigners,
  countryOf,
  createRandom,
  makeCrowd,
  planSignatures,
  type Random,
  type CrowdMember,
  type PlannedSignature,
  type Signer,
} from './plan.ts';
import { portraitSvg } from './portraits.ts';
import * as queries from './queries.ts';
import { sceneSvg } from './scenes.ts';
import { petitions, type DemoPetition } from './world.ts';

const crowdSize = 3000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export interface DemoWorld {
  people: number;
  petitions: number;
  signatures: number;
  /** What `addPictures` draws, once the world is stored. */
  pictures: DemoPicture[];
}

/** The context of the transaction that creates everything. */
type DemoContext = Context & { db: Tx };

interface Creator extends Signer {
  caller: Caller;
}

/**
 * Creates the demo world in one transaction: the same people, texts and signers in every run, at times relative to
 * now. Returns undefined if some of its people exist already.
 */
export async function makeDemoWorld(ctx: Context): Promise<DemoWorld | undefined> {
  const passwordHash = await hashPassword(demoPassword);
  return transaction(ctx.db, async (db) => {
    await queries.lockDemo(db);
    if (await queries.anyUserWith(db, people.map(emailOf))) return undefined;
    // Publishes its petitions at once, whatever the moderation mode.
    const config = { ...ctx.config, moderation: 'off' as const };
    return fill({ ...ctx, db, config }, createRandom(2026), passwordHash);
  });
}

async function fill(ctx: DemoContext, random: Random, passwordHash: string): Promise<DemoWorld> {
  const now = ctx.now().getTime();
  const byName = new Map<string, Creator>();
  for (const person of people) {
    const joinedMs = now - (300 + 120 * random.number()) * dayMs;
    const id = random.id(joinedMs);
    const caller = await addPerson(ctx, person, id, passwordHash);
    await queries.backdateUser(ctx.db, id, new Date(joinedMs));
    byName.set(person.name, { id, place: person.place, caller });
  }
  const crowd = makeCrowd(random, crowdSize);
  const plans = [];
  const organizationOf = await addOrganizations(ctx, byName);
  for (const petition of petitions) {
    const creator = byName.get(petition.by)!;
    const id = await addPetition(ctx, creator, petition, organizationOf.get(petition.title));
    const others = [...byName.values(), ...crowd].filter((person) => person !== creator);
    const times = timesOf(random, petition, now);
    const signatures = planPetition(random, petition, creator, others, times, now);
    plans.push({ petition, id, caller: creator.caller, times, signatures });
  }
  const ids = plans.map(({ id }) => id);
  const allSignatures = plans.flatMap(({ signatures }) => signatures);
  const signers = createAccounts(random, crowd, allSignatures);
  await queries.insertUsers(ctx.db, signers);
  await fillMailboxes(
    ctx.db,
    ctx.keys,
    signers.map(({ id }) => id),
  );
  for (const { id, signatures } of plans) {
    await queries.insertSignatures(ctx.db, toRows(id, signatures));
  }
  await queries.updateCounts(ctx.db, ids);
  for (const { petition, id, caller, times } of plans) {
    await endPetition(ctx, caller, id, petition);
    await queries.backdatePetition(ctx.db, id, times);
  }
  const idsByTitle = new Map(plans.map(({ petition, id }) => [petition.title, id]));
  const pictures = picturesOf(byName, idsByTitle);
  pictures.push(...(await addNews(ctx, random, { byName, idsByTitle, now })));
  // Followers of events would have created these sums.
  await rebuildSums(ctx.db, ids, new Date(now));
  await rebuildOverallSums(ctx.db);
  await queries.insertViews(ctx.db, ids);
  // Inserted signatures have no events, by which the public log would have them.
  await compareAgain(ctx.db);
  return {
    people: people.length + signers.length,
    petitions: plans.length,
    signatures: allSignatures.length,
    pictures,
  };
}

/** Creates the organizations. Returns the organization of each petition that has one, by its title. */
async function addOrganizations(
  ctx: DemoContext,
  byName: Map<string, Creator>,
): Promise<Map<string, string>> {
  const ofTitle = new Map<string, string>();
  for (const { owner, members, petitions: titles, ...input } of organizations) {
    const { id } = await createOrganization(ctx, byName.get(owner)!.caller, input);
    for (const member of members) await queries.insertMember(ctx.db, id, byName.get(member)!.id);
    for (const title of titles) ofTitle.set(title, id);
  }
  return ofTitle;
}

/** Portraits of people, and pictures of petitions. */
function picturesOf(byName: Map<string, Creator>, idsByTitle: Map<string, string>): DemoPicture[] {
  const portraits = people.flatMap(({ name, look }, index): DemoPicture[] => {
    const { id } = byName.get(name)!;
    const svg = look && portraitSvg(look, index);
    return svg ? [{ userId: id, type: 'user_avatar', recordId: id, svg }] : [];
  });
  const scenes = petitions.flatMap(({ title, by, picture }): DemoPicture[] => {
    const recordId = idsByTitle.get(title)!;
    const svg = picture && sceneSvg(picture);
    return svg ? [{ userId: byName.get(by)!.id, type: 'petition_image', recordId, svg }] : [];
  });
  return [...portraits, ...scenes];
}

interface NewsOptions {
  byName: Map<string, Creator>;
  idsByTitle: Map<string, string>;
  now: number;
}

/** Adds updates, comments and answers of decision makers. Returns the pictures of the updates. */
async function addNews(
  ctx: DemoContext,
  random: Random,
  { byName, idsByTitle, now }: NewsOptions,
): Promise<DemoPicture[]> {
  const pictures: DemoPicture[] = [];
  const ago = (days: number) => new Date(now - (days - random.number() / 2) * dayMs);
  for (const { about, updates = [], response, talk = [] } of news) {
    const petitionId = idsByTitle.get(about)!;
    const creator = byName.get(petitions.find(({ title }) => title === about)!.by)!;
    for (const { title, body, days, picture } of updates) {
      const at = ago(days);
      const id = random.id(at.getTime());
      await queries.insertUpdate(ctx.db, { id, petitionId, title, body, at });
      const svg = picture && sceneSvg(picture);
      if (svg)
        pictures.push({ userId: creator.id, type: 'petition_update_image', recordId: id, svg });
    }
    if (response) {
      const at = ago(response.days);
      const id = random.id(at.getTime());
      await queries.insertResponse(ctx.db, { ...response, id, petitionId, at });
    }
    for (const { by, body, days, replies = [] } of talk) {
      const at = ago(days);
      const id = random.id(at.getTime());
      const userId = byName.get(by)!.id;
      await queries.insertComment(ctx.db, { id, petitionId, userId, body, at });
      for (const [index, reply] of replies.entries()) {
        const later = new Date(at.getTime() + (index + 1) * hourMs);
        await queries.insertComment(ctx.db, {
          id: random.id(later.getTime()),
          petitionId,
          userId: byName.get(reply.by)!.id,
          answers: id,
          body: reply.body,
          at: later,
        });
      }
    }
  }
  return pictures;
}

async function addPerson(
  ctx: DemoContext,
  person: DemoPerson,
  id: string,
  passwordHash: string,
): Promise<Caller> {
  const { name, role, verified, bio } = person;
  const email = emailOf(person);
  await createUser(ctx.db, ctx.keys, {
    id,
    email,
    passwordHash,
    displayName: name,
    role,
    verified,
  });
  const credential = { kind: 'login' } as const;
  const caller = { userId: id, role, sessionId: id, tokenId: id, expiresAt: 0, credential };
  if (bio) await updateAccount(ctx, caller, { bio });
  return caller;
}

/** Stores the petition, and publishes it unless it stays a draft. */
async function addPetition(
  ctx: Context,
  { caller, place }: Creator,
  petition: DemoPetition,
  orgId: string | undefined,
): Promise<string> {
  const categories = await listCategories(ctx);
  const categoryId = categories.find(({ slug }) => slug === petition.category)!.id;
  const [locationCity, locationCountry] = place.split(', ') as [string, string];
  const location = { locationCity, locationCountry };
  const more = { ...location, categoryId, ...(orgId && { orgId }) };
  const { id } = await createPetition(ctx, caller, { ...petition, ...more });
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
  const { state } = petition;
  if (state.is === 'draft' || !times.published) return [];
  const signers = [creator, ...chooseSigners(random, others, state.signatures - 1, creator)];
  const until = times.closed?.getTime() ?? now;
  return planSignatures(random, petition, signers, times.published.getTime(), until);
}

/** Returns accounts for the members of the crowd who sign, created just before their first signature. */
function createAccounts(
  random: Random,
  crowd: CrowdMember[],
  signatures: PlannedSignature[],
): queries.BulkUser[] {
  const firstSigned = new Map<Signer, number>();
  for (const { user, createdAt } of signatures) {
    firstSigned.set(user, Math.min(createdAt, firstSigned.get(user) ?? Infinity));
  }
  return crowd
    .filter((member) => firstSigned.has(member))
    .map((member) => {
      const joinedMs = firstSigned.get(member)! - 60_000 - random.below(hourMs / 4);
      const { name, email } = member;
      const id = random.id(joinedMs);
      member.id = id;
      const slug = `${slugify(name, 'user')}-${email.slice(7, 11)}`;
      return { id, email, name, slug, joined: new Date(joinedMs) };
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
    place: canonicalPlace(signature.displayLocation, { country: countryOf(user) }),
    source: sources[index % sources.length]!,
  }));

/** Closes the petition, or declares victory, by its state. */
async function endPetition(
  ctx: Context,
  caller: Caller,
  id: string,
  { state, victoryMessage }: DemoPetition,
): Promise<void> {
  if (state.is === 'closed') await closePetition(ctx, caller, id);
  if (state.is === 'victory') await declareVictory(ctx, caller, id, victoryMessage);
}
