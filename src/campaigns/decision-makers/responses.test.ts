import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addDecisionMaker, deliver, mailsTo } from '../../../test/support/decision-makers.ts';
import { eventually } from '../../../test/support/eventually.ts';
import {
  logInAsAdmin,
  createPublished,
  signUp,
  verifyAddress,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { publishDueResponses } from './responses.ts';

const day = 86_400_000;

describe('responses of decision makers', () => {
  let service: Service;
  let creator: Person;
  let other: Person;
  before(async () => {
    service = await startService({ worker: true });
    creator = await signUp(service, 'Creator');
    other = await signUp(service, 'Other');
  });
  after(() => service[Symbol.asyncDispose]());

  const responded = async (petition: { id: string }, body = 'Yes.', owner = creator) => {
    const maker = await addDecisionMaker(owner, petition);
    const { token } = await deliver(service, owner, maker, { summary: 'none' });
    const answer = await service.api.post(`/respond/${token}`, { body });
    assert.equal(answer.status, 201);
    return answer.body.data;
  };
  const listOf = ({ id }: { id: string }) => `/v1/petitions/${id}/responses`;
  const idsFor = async (petition: { id: string }, api = service.api) =>
    (await api.get(listOf(petition))).body.data.map(({ id }: { id: string }) => id);
  const publish = (response: { id: string }, api = creator.api) =>
    api.post(`/v1/responses/${response.id}/publish`);
  const publications = (response: { id: string }) => service.ctx.db`
    select petition_id, actor_type, actor_id from events
    where type = 'response.published' and data ->> 'response_id' = ${response.id}`;

  it('are told to the creator at once, in the service and by mail', async () => {
    const owner = await signUp(service, 'Owner');
    await verifyAddress(service, owner);
    const petition = await createPublished(owner);
    const response = await responded(petition, 'Yes, in May.', owner);
    const noticesOf = async ({ api }: Person) =>
      (await api.get('/v1/notifications')).body.data.filter(
        ({ type }: { type: string }) => type === 'response_submitted',
      );
    await eventually(async () => (await noticesOf(owner)).length === 1, 10_000);
    const [notice] = await noticesOf(owner);
    assert.equal(notice.data.response_id, response.id);
    const find = async () =>
      (await mailsTo(service, owner.email)).find(({ subject }) =>
        subject.startsWith('A response to'),
      );
    await eventually(async () => (await find()) !== undefined, 10_000);
    assert.match(
      (await find())!.text,
      new RegExp(`/dashboard/petitions/${petition.id}/decision-makers`),
    );
  });

  it('are published by the creator, once', async () => {
    const petition = await createPublished(creator);
    const response = await responded(petition);
    assert.deepEqual(await idsFor(petition), []);
    assert.deepEqual(await idsFor(petition, other.api), []);
    assert.deepEqual(await idsFor(petition, creator.api), [response.id]);
    assert.equal((await publish(response, service.api)).status, 401);
    assert.equal((await publish(response, other.api)).status, 404);
    const answers = await Promise.all([publish(response), publish(response), publish(response)]);
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409, 409],
    );
    const refused = answers.find(({ status }) => status === 409)!;
    assert.equal(refused.body.code, 'already_published');
    const shown = answers.find(({ status }) => status === 200)!.body.data;
    assert.equal(shown.state, 'published');
    assert.ok(shown.published_at);
    const { body_html: html, ...listed } = shown;
    assert.equal(html, '<p>Yes.</p>\n');
    assert.deepEqual((await service.api.get(listOf(petition))).body.data, [listed]);
    assert.equal((await publish(response, other.api)).status, 403);
    assert.deepEqual(
      [...(await publications(response))],
      [{ petition_id: petition.id, actor_type: 'user', actor_id: creator.id }],
    );
  });

  it('are paged oldest first while others are added', async () => {
    const petition = await createPublished(creator);
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.push((await responded(petition, `${n}`)).id);
    const first = (await creator.api.get(`${listOf(petition)}?limit=2`)).body;
    const late = await responded(petition, 'late');
    const { next_cursor } = first.pagination;
    const second = (await creator.api.get(`${listOf(petition)}?limit=2&cursor=${next_cursor}`))
      .body;
    const seen = [...first.data, ...second.data].map(({ id }: { id: string }) => id);
    assert.deepEqual(seen, [...ids, late.id]);
    assert.equal(second.pagination.has_more, false);
    const former = Buffer.from(JSON.stringify(['responses', ids[1]])).toString('base64url');
    assert.equal((await creator.api.get(`${listOf(petition)}?cursor=${former}`)).status, 400);
  });

  it('to private petitions require the access code', async () => {
    const petition = await createPublished(creator, { visibility: 'private' });
    await publish(await responded(petition));
    assert.equal((await service.api.get(listOf(petition))).status, 403);
    const code = petition.access_code;
    const { body } = await service.api.get(`${listOf(petition)}?access_code=${code}`);
    assert.equal(body.data.length, 1);
  });

  it('are published automatically after 7 days, once', async () => {
    const petition = await createPublished(creator);
    const deleted = await createPublished(creator);
    const due = await responded(petition);
    const publishedByCreator = await responded(petition);
    await publish(publishedByCreator);
    const gone = await responded(deleted);
    await creator.api.delete(`/v1/petitions/${deleted.id}`);
    service.advanceClock(7 * day - 60_000);
    try {
      await publishDueResponses(service.ctx);
      assert.deepEqual(await idsFor(petition), [publishedByCreator.id]);
      service.advanceClock(120_000);
      await Promise.all([publishDueResponses(service.ctx), publishDueResponses(service.ctx)]);
    } finally {
      service.advanceClock(-7 * day - 60_000);
    }
    assert.deepEqual(await idsFor(petition), [due.id, publishedByCreator.id]);
    assert.deepEqual(
      [...(await publications(due))],
      [{ petition_id: petition.id, actor_type: 'system', actor_id: null }],
    );
    assert.equal((await publications(publishedByCreator)).length, 1);
    assert.equal((await publications(gone)).length, 0);
  });

  it('are all published when due, in batches', async () => {
    const petition = await createPublished(creator);
    const { db } = service.ctx;
    await db`
      with maker as (
        insert into decision_makers (id, petition_id, name, email)
        select gen_random_uuid(), ${petition.id}, 'M', n || '@example.org'
        from generate_series(1, 250) n returning id)
      insert into decision_maker_responses (id, petition_id, decision_maker_id, body, created_at)
      select gen_random_uuid(), ${petition.id}, id, 'Yes', now() - interval '8 days' from maker`;
    await publishDueResponses(service.ctx);
    const [unpublished] = await db`
      select count(*)::integer as count from decision_maker_responses
      where petition_id = ${petition.id} and published_at is null`;
    assert.equal(unpublished!.count, 0);
    const [events] = await db`
      select count(*)::integer as count from events
      where petition_id = ${petition.id} and type = 'response.published'`;
    assert.equal(events!.count, 250);
  });

  it('stay with a petition without creator, and are deleted with an unsigned one', async () => {
    const leaver = await signUp(service, 'Leaver');
    const signed = await createPublished(leaver);
    await other.api.post(`/v1/petitions/${signed.id}/signatures`);
    const unsigned = await createPublished(leaver);
    const kept = await responded(signed, 'Kept', leaver);
    await publish(kept, leaver.api);
    const lost = await responded(unsigned, 'Lost', leaver);
    const erased = await leaver.api.delete('/v1/users/me', { password: leaver.password });
    assert.equal(erased.status, 204);
    assert.deepEqual(await idsFor(signed), [kept.id]);
    const rows = await service.ctx.db`
      select id from decision_maker_responses where id in (${kept.id}, ${lost.id})`;
    assert.deepEqual(
      rows.map(({ id }) => id),
      [kept.id],
    );
    const admin = await logInAsAdmin(service);
    assert.equal((await publish(kept, admin.api)).status, 403);
  });
});
