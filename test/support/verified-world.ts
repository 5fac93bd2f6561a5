import assert from 'node:assert/strict';
import type { Db } from '../../src/platform/db.ts';
import { answerPetition } from './answers.ts';
import { eventually } from './eventually.ts';
import {
  createOrganization,
  addMember,
  logInAsAdmin,
  createUsers,
  createPublished,
  signUp,
  type Person,
  type TestUser,
} from './people.ts';
import type { Receiver } from './receiver.ts';
import type { Service } from './service.ts';
import { invalidateBy, undo } from './signing.ts';

export interface VerifiedWorld {
  /** With 120 signatures, milestones, shares, comments, an update and a webhook. */
  petition: { id: string };
}

/** Creates, by the API, some of everything that `npm run verify` checks. The service must have a worker. */
export async function makeVerifiedWorld(
  service: Service,
  receiver: Receiver,
): Promise<VerifiedWorld> {
  const creator = await signUp(service);
  const events = ['petition.published', 'signature.created', 'update.created'];
  await posted(creator, '/v1/webhooks', { url: receiver.origin, events });
  const organization = await createOrganization(creator);
  const petition = await createPublished(creator, { signatureGoal: 50, orgId: organization.id });
  const people = await createUsers(service, 120);
  await addMember(creator, organization, people[0]!);
  await signAndShare(people, petition);
  await giveOpinions(service, petition, people);
  await posted(creator, `/v1/petitions/${petition.id}/updates`, { title: 'News', body: 'Some.' });
  const comments = `/v1/petitions/${petition.id}/comments`;
  const { id } = await posted(people[1]!, comments, { body: 'Why not?' });
  await posted(people[2]!, comments, { body: 'Why?', parent_id: id });
  await invalidateSome(service, creator, people);
  await untilSettled(service);
  return { petition };
}

async function posted(person: Pick<Person, 'api'>, path: string, body: object) {
  const answer = await person.api.post(path, body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.data;
}

/** Some of the signers say what they think of an answer. */
async function giveOpinions(service: Service, petition: { id: string }, people: TestUser[]) {
  const response = await answerPetition(service, petition);
  for (const { api } of people.slice(0, 30)) {
    await api.put(`/v1/responses/${response}/opinion`, { opinion: 'partly' });
  }
}

/** Everyone signs, some by a share link; one person withdraws and signs again. */
async function signAndShare(people: TestUser[], petition: { id: string }): Promise<void> {
  const path = `/v1/petitions/${petition.id}`;
  const { ref } = await posted(people[0]!, `${path}/shares`, { channel: 'x' });
  await posted(people[1]!, `${path}/shares`, { channel: 'link' });
  for (const [index, person] of people.entries()) {
    const places = ['Leeds, GB', 'Lyon, FR'];
    const body = { display_location: places[index % 2], ...(index % 10 === 5 && { ref }) };
    await posted(person, `${path}/signatures`, body);
  }
  assert.equal((await people[7]!.api.delete(`${path}/signatures/me`)).status, 204);
  await posted(people[7]!, `${path}/signatures`, {});
}

/** Creates a petition with a rule in force, where one person withdraws and signs again, and one with an undone rule. */
async function invalidateSome(
  service: Service,
  creator: Person,
  people: TestUser[],
): Promise<void> {
  const admin = await logInAsAdmin(service);
  const [standing, undone] = [await createPublished(creator), await createPublished(creator)];
  for (const { id } of [standing, undone]) {
    for (const person of people.slice(0, 4))
      await posted(person, `/v1/petitions/${id}/signatures`, {});
  }
  for (const petition of [standing, undone]) await giveOpinions(service, petition, people);
  const rule = { domain: 'example.org' };
  await invalidateBy(admin, standing, rule);
  const own = `/v1/petitions/${standing.id}/signatures`;
  assert.equal((await people[0]!.api.delete(`${own}/me`)).status, 204);
  await posted(people[0]!, own, {});
  await undo(admin, await invalidateBy(admin, undone, rule));
}

/** Waits until followers, fan-outs and deliveries have finished. */
export async function untilSettled({ ctx: { db } }: Pick<Service, 'ctx'>): Promise<void> {
  await eventually(async () => (await waiting(db)) === 0, 30_000);
}

async function waiting(db: Db): Promise<number> {
  const [row] = await db`
    select (select count(*) from event_followers f where exists (
      select from events e where (e.transaction, e.position) > (f.transaction, f.position)))
      + (select count(*) from notification_fan_outs)
      + (select count(*) from webhook_deliveries where status <> 'delivered')
      + (select count(*) from transparency_log where scan is not null or has_gap) as count`;
  return Number(row!.count);
}
