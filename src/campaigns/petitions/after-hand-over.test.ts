import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addDecisionMaker } from '../../../test/support/decision-makers.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { waitingForLocks } from '../../../test/support/locks.ts';
import { createOrganized, creatorOf } from '../../../test/support/organizers.ts';
import type { Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { linkToken } from '../decision-makers/links.ts';

type Organized = Awaited<ReturnType<typeof createOrganized>>;
type Answers = Promise<{ status: number }>;

/** Another request ends the rights of the caller after they were checked, and before the row is locked. */
describe('acts on a petition that wait for a lock', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service[Symbol.asyncDispose]());

  /** Sends two requests that wait for the petition's row, in this order. Returns the statuses. */
  async function inOrder(petitionId: string, ...requests: (() => Answers)[]): Promise<number[]> {
    const answers: Answers[] = [];
    await service.ctx.pools.main.begin(async (tx) => {
      await tx`select from petitions where id = ${petitionId} for update`;
      for (const request of requests) {
        answers.push(request());
        await eventually(async () => (await waitingForLocks(service.ctx.db)) >= answers.length);
      }
    });
    return (await Promise.all(answers)).map(({ status }) => status);
  }

  async function respond({ creator, petition }: Organized): Promise<string> {
    const maker = await addDecisionMaker(creator, petition);
    await creator.api.post(`${maker.path}/deliver`, { summary: 'none' });
    const linkId = await service.ctx.db.value<string>`
      select id from decision_maker_links where decision_maker_id = ${maker.id}`;
    const token = linkToken(service.ctx, linkId);
    const { status, body } = await service.api.post(`/respond/${token}`, { body: 'Yes.' });
    assert.equal(status, 201, JSON.stringify(body));
    return body.data.id;
  }

  /** Prepares an act of a person, and returns the request. */
  type Act = (organized: Organized, person: Person) => Promise<() => Answers>;

  const editing: Record<string, Act> = {
    'changing the text': async ({ path }, { api }) => {
      return () => api.patch(path, { title: 'Still mine, I think' });
    },
    'adding a decision maker': async ({ path }, { api }) => {
      const input = { name: 'Grace', email: 'grace@example.org' };
      return () => api.post(`${path}/decision-makers`, input);
    },
    'removing a decision maker': async ({ creator, petition }, { api }) => {
      const maker = await addDecisionMaker(creator, petition);
      return () => api.delete(maker.path);
    },
  };
  const organizing: Record<string, Act> = {
    'posting an update': async ({ path }, { api }) => {
      return () => api.post(`${path}/updates`, { title: 'News', body: 'Of one who left.' });
    },
  };
  const owning: Record<string, Act> = {
    'inviting an organizer': async ({ path }, { api }) => {
      const input = { email: 'grace@example.org', role: 'editor' };
      return () => api.post(`${path}/organizers`, input);
    },
    'deleting it': async ({ path }, { api }) => {
      return () => api.delete(path);
    },
    'closing it': async ({ path }, { api }) => {
      return () => api.post(`${path}/close`);
    },
    'declaring victory': async ({ path }, { api }) => {
      return () => api.post(`${path}/victory`);
    },
    'replacing its access code': async ({ path }, { api }) => {
      await api.patch(path, { visibility: 'private' });
      return () => api.post(`${path}/access-code`);
    },
    'delivering it': async ({ creator, petition }, { api }) => {
      const maker = await addDecisionMaker(creator, petition);
      return () => api.post(`${maker.path}/deliver`, { message: 'Words of the former one' });
    },
    'publishing a response': async (organized, { api }) => {
      const response = await respond(organized);
      return () => api.post(`/v1/responses/${response}/publish`);
    },
  };

  const stateOf = (id: string) => service.ctx.db.one`
    select p.title, p.status, p.access_code_version, p.deleted_at,
      (select count(*)::integer from decision_makers m where m.petition_id = p.id) as makers,
      (select count(*)::integer from decision_maker_links l
        join decision_makers m on m.id = l.decision_maker_id where m.petition_id = p.id) as links,
      (select count(*)::integer from decision_maker_responses r
        where r.petition_id = p.id and r.published_at is not null) as published,
      (select count(*)::integer from updates u where u.petition_id = p.id) as updates
    from petitions p where p.id = ${id}`;

  for (const [name, act] of Object.entries({ ...owning, ...editing, ...organizing })) {
    it(`are refused to a former creator: ${name}`, async () => {
      const organized = await createOrganized(service, 'editor');
      const { creator, petition, people, path } = organized;
      const [editor] = people;
      const request = await act(organized, creator);
      await creator.api.put(`${path}/hand-over`, { organizer_id: editor!.organizerId });
      const earlier = await stateOf(petition.id);
      const accept = () => editor!.api.post(`${path}/hand-over/accept`);
      assert.deepEqual(await inOrder(petition.id, accept, request), [200, 403]);
      assert.equal(await creatorOf(service, petition.id), editor!.id);
      assert.deepEqual(await stateOf(petition.id), earlier);
    });
  }

  for (const [name, act] of Object.entries({ ...editing, ...organizing })) {
    it(`are refused to a removed editor: ${name}`, async () => {
      const organized = await createOrganized(service, 'editor');
      const { creator, petition, people, path } = organized;
      const [editor] = people;
      const request = await act(organized, editor!);
      const earlier = await stateOf(petition.id);
      const remove = () => creator.api.delete(`${path}/organizers/${editor!.organizerId}`);
      assert.deepEqual(await inOrder(petition.id, remove, request), [204, 403]);
      assert.deepEqual(await stateOf(petition.id), earlier);
    });
  }

  it('go on for an editor beside the creator', async () => {
    const organized = await createOrganized(service, 'editor');
    const { creator, petition, people, path } = organized;
    const request = await editing['adding a decision maker']!(organized, people[0]!);
    const close = () => creator.api.post(`${path}/close`);
    assert.deepEqual(await inOrder(petition.id, close, request), [200, 201]);
  });

  /** Another request ends the rights while the update is locked. */
  for (const [name, act] of Object.entries<(person: Person, path: string) => Answers>({
    changing: ({ api }, path) => api.patch(path, { title: 'Mine' }),
    deleting: ({ api }, path) => api.delete(path),
  })) {
    it(`are refused to a removed author: ${name} an update of theirs`, async () => {
      const { creator, people, path, petition } = await createOrganized(service, 'author');
      const [author] = people;
      const input = { title: 'News', body: 'Of an author.' };
      const { id } = (await author!.api.post(`${path}/updates`, input)).body.data;
      let answer: Answers | undefined;
      await service.ctx.pools.main.begin(async (tx) => {
        await tx`select from updates where id = ${id} for update`;
        answer = act(author!, `/v1/updates/${id}`);
        await eventually(async () => (await waitingForLocks(service.ctx.db)) > 0);
        await creator.api.delete(`${path}/organizers/${author!.organizerId}`);
      });
      assert.equal((await answer!).status, 403);
      assert.equal((await stateOf(petition.id)).updates, 1);
    });
  }
});
