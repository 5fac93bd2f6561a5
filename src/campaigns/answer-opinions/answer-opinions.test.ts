import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerPetition } from '../../../test/support/answers.ts';
import { formsOf, logInBrowser } from '../../../test/support/browser.ts';
import type { Client } from '../../../test/support/client.ts';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createPublished,
  createUsers,
  logInAsAdmin,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import type { Opinion, OpinionSums } from './schema.ts';

interface Answered {
  petition: { id: string; slug: string };
  response: string;
}

describe('opinions of signers on an answer', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService();
    creator = await signUp(service, 'Creator');
  });
  after(() => service[Symbol.asyncDispose]());

  const answered = async (more: object = {}): Promise<Answered & { access_code: string }> => {
    const petition = await createPublished(creator, more);
    return {
      petition,
      response: await answerPetition(service, petition),
      access_code: petition.access_code,
    };
  };
  const pathOf = ({ response }: Answered) => `/v1/responses/${response}/opinion`;
  const give = ({ api }: { api: Client }, to: Answered, opinion: Opinion = 'answers') =>
    api.put(pathOf(to), { opinion });
  const sign = async ({ api }: { api: Client }, { petition }: Answered) =>
    assert.equal((await api.post(`/v1/petitions/${petition.id}/signatures`)).status, 201);
  const signers = async (count: number, to: Answered) => {
    const people = await createUsers(service, count);
    for (const person of people) await sign(person, to);
    return people;
  };
  const stored = async ({ response }: Answered) => [
    ...(await service.ctx.db<{ opinion: string; counts: boolean }[]>`
      select opinion, counts from answer_opinions where response_id = ${response}`),
  ];
  const readSums = async ({ petition, response }: Answered, api = service.api) => {
    const { body } = await api.get(`/v1/petitions/${petition.id}/responses`);
    return (body.data as { id: string; opinions: OpinionSums }[]).find(({ id }) => id === response)!
      .opinions;
  };
  /** Sums are cached for a second. */
  const hasSums = (to: Answered, expected: OpinionSums) =>
    eventually(async () => {
      try {
        assert.deepEqual(await readSums(to), expected);
        return true;
      } catch {
        return false;
      }
    });

  it('are shown as sums from ten on, and not at all below', async () => {
    const one = await answered();
    const people = await signers(10, one);
    for (const [index, person] of people.slice(0, 9).entries()) {
      const { status } = await give(
        person,
        one,
        (['answers', 'partly', 'not'] as const)[index % 3],
      );
      assert.equal(status, 204);
    }
    assert.equal(await readSums(one), null);
    const pageBefore = await service.api.get(`/p/${one.petition.slug}`);
    assert.doesNotMatch(pageBefore.body, /class="opinions"/);
    await give(people[9]!, one, 'not');
    assert.deepEqual(await readSums(one), { answers: 3, partly: 3, not: 4, total: 10 });
    await eventually(async () => {
      const { body } = await service.api.get(`/p/${one.petition.slug}`);
      return (
        /Does this answer the petition\? 10 signers say:/.test(body) && /No: 4 \(40%\)/.test(body)
      );
    });
    await people[0]!.api.delete(pathOf(one));
    assert.equal(await readSums(one), null);
  });

  it('are replaced and taken back', async () => {
    const one = await answered();
    const [person] = await signers(1, one);
    for (const opinion of ['answers', 'answers', 'not'] as const) {
      assert.equal((await give(person!, one, opinion)).status, 204);
      assert.deepEqual(
        (await stored(one)).map((row) => row.opinion),
        [opinion],
      );
    }
    for (let n = 0; n < 2; n += 1) {
      assert.equal((await person!.api.delete(pathOf(one))).status, 204);
      assert.deepEqual(await stored(one), []);
    }
    assert.equal((await person!.api.put(pathOf(one), { opinion: 'maybe' })).status, 422);
  });

  it('are for those whose signature counts', async () => {
    const one = await answered();
    const [stranger] = await createUsers(service, 1);
    const refused = await give(stranger!, one);
    assert.equal(refused.status, 403);
    assert.equal(refused.body.code, 'not_a_signer');
    assert.equal((await stranger!.api.delete(pathOf(one))).status, 204);
    assert.equal((await give(creator, one)).status, 403);
    assert.equal((await give(await logInAsAdmin(service), one)).status, 403);
    assert.equal((await give({ api: service.api }, one)).status, 401);
    const [held] = await signers(1, one);
    await service.ctx.db`
      update signatures set state = 'held' where petition_id = ${one.petition.id} and user_id = ${held!.id}`;
    assert.equal((await give(held!, one)).body.code, 'not_a_signer');
    assert.deepEqual(await stored(one), []);
  });

  it('are of published answers to petitions that the signer can read', async () => {
    const hidden = await answered({ visibility: 'private' });
    const [person] = await createUsers(service, 1);
    const code = `?access_code=${hidden.access_code}`;
    assert.equal((await give(person!, hidden)).status, 403);
    await person!.api.post(`/v1/petitions/${hidden.petition.id}/signatures${code}`);
    assert.equal((await give(person!, hidden)).body.code, 'access_code_required');
    const { status } = await person!.api.put(pathOf(hidden) + code, { opinion: 'partly' });
    assert.equal(status, 204);
    const one = await answered();
    await sign(person!, one);
    await service.ctx.db`
      update decision_maker_responses set published_at = null where id = ${one.response}`;
    assert.equal((await give(person!, one)).status, 404);
    assert.equal((await person!.api.delete(pathOf(one))).status, 404);
    const unknown = { ...one, response: '00000000-0000-7000-8000-000000000000' };
    assert.equal((await give(person!, unknown)).status, 404);
  });

  it('are still given when the petition has ended', async () => {
    const one = await answered();
    const [person] = await signers(1, one);
    await creator.api.post(`/v1/petitions/${one.petition.id}/close`);
    assert.equal((await give(person!, one)).status, 204);
  });

  it('follow the state of the signature', async () => {
    const one = await answered();
    const people = await signers(11, one);
    for (const person of people) await give(person, one, 'partly');
    await hasSums(one, { answers: 0, partly: 11, not: 0, total: 11 });
    const setState = (state: string) => service.ctx.db`
      update signatures set state = ${state}
      where petition_id = ${one.petition.id} and user_id = ${people[0]!.id}`;
    for (const state of ['held', 'invalid']) {
      await setState(state);
      await hasSums(one, { answers: 0, partly: 10, not: 0, total: 10 });
    }
    await setState('counted');
    await hasSums(one, { answers: 0, partly: 11, not: 0, total: 11 });
  });

  it('end with the signature, and do not come back with another one', async () => {
    const one = await answered();
    const [person] = await signers(1, one);
    await give(person!, one);
    const { status } = await person!.api.delete(`/v1/petitions/${one.petition.id}/signatures/me`);
    assert.equal(status, 204);
    assert.deepEqual(await stored(one), []);
    assert.equal((await give(person!, one)).status, 403);
    await sign(person!, one);
    assert.deepEqual(await stored(one), []);
    assert.equal((await give(person!, one)).status, 204);
  });

  it('are exported to the signer, and erased with the account', async () => {
    const one = await answered();
    const person = await signUp(service, 'Signer');
    await sign(person, one);
    await give(person, one, 'not');
    const { answer_opinions: exported } = (await person.api.get('/v1/users/me/export')).body;
    assert.equal(exported.length, 1);
    assert.equal(exported[0].opinion, 'not');
    assert.equal(exported[0].response_id, one.response);
    await person.api.delete('/v1/users/me', { password: person.password });
    assert.deepEqual(await stored(one), []);
    const [kept] = await service.ctx.db`
      select count(*)::int as n from signatures where petition_id = ${one.petition.id}`;
    assert.equal(kept!.n, 1);
  });

  it('are stored once, however many taps come at once', async () => {
    const one = await answered();
    const [person] = await signers(1, one);
    const taps = Array.from({ length: 12 }, (_, n) =>
      give(person!, one, (['answers', 'partly', 'not'] as const)[n % 3]),
    );
    for (const { status } of await Promise.all(taps)) assert.equal(status, 204);
    assert.equal((await stored(one)).length, 1);
  });

  it('never outlive a signature that is withdrawn meanwhile', async () => {
    for (let round = 0; round < 8; round += 1) {
      const one = await answered();
      const [person] = await signers(1, one);
      const withdrawal = person!.api.delete(`/v1/petitions/${one.petition.id}/signatures/me`);
      const given = await Promise.all([give(person!, one), give(person!, one, 'not'), withdrawal]);
      assert.ok(given.every(({ status }) => status === 204 || status === 403));
      assert.deepEqual(await stored(one), []);
    }
  });

  it('wait for a change of the signature’s state, and the change for them', async () => {
    const one = await answered();
    const [first, second] = await signers(2, one);
    let given: Promise<{ status: number }> | undefined;
    await service.ctx.pools.main.begin(async (tx) => {
      await tx`
        update signatures set state = 'invalid'
        where petition_id = ${one.petition.id} and user_id = ${first!.id}`;
      given = give(first!, one);
      await sleep(150);
    });
    assert.equal((await given!).status, 403);
    const invalidate = async ({ id }: { id: string }) => {
      await service.ctx.db`
        update signatures set state = 'invalid'
        where petition_id = ${one.petition.id} and user_id = ${id}`;
    };
    let changed: Promise<unknown> | undefined;
    await service.ctx.pools.main.begin(async (tx) => {
      await tx`
        select from signatures
        where petition_id = ${one.petition.id} and user_id = ${second!.id} for share`;
      await tx`
        insert into answer_opinions (response_id, user_id, petition_id, signature_id, opinion)
        select ${one.response}, user_id, petition_id, id, 'not' from signatures
        where petition_id = ${one.petition.id} and user_id = ${second!.id}`;
      changed = invalidate(second!);
      await sleep(150);
    });
    await changed;
    assert.deepEqual(await stored(one), [{ opinion: 'not', counts: false }]);
  });

  describe('on the page', () => {
    it('are given by one tap, without scripts, and the page stays at the answer', async () => {
      const one = await answered();
      const person = await signUp(service, 'Signer');
      await sign(person, one);
      const browser = await logInBrowser(service, person);
      const action = `/p/${one.petition.slug}/responses/${one.response}/opinion`;
      const page = await browser.open(`/p/${one.petition.slug}`);
      assert.match(page.body, /Does this answer your petition\?/);
      assert.match(page.body, new RegExp(`id="answer-${one.response}"`));
      assert.doesNotMatch(page.body, /aria-pressed="true"/);
      const form = formsOf(page).find((candidate) => candidate.action === action)!;
      const chosen = await browser.send(action, { ...form.fields, opinion: 'partly' });
      assert.match(chosen.body, /value="partly" aria-pressed="true"/);
      assert.deepEqual(
        (await stored(one)).map(({ opinion }) => opinion),
        ['partly'],
      );
      const again = formsOf(chosen).find((candidate) => candidate.action === action)!;
      const { opinion: _, ...fields } = again.fields;
      const withdrawn = await browser.send(action, { ...fields, withdraw: 'yes' });
      assert.doesNotMatch(withdrawn.body, /aria-pressed="true"/);
      assert.deepEqual(await stored(one), []);
    });

    it('are asked of signers only, who alone see their own', async () => {
      const one = await answered();
      const [person] = await signers(1, one);
      await give(person!, one, 'not');
      const { body: public_ } = await service.api.get(`/p/${one.petition.slug}`);
      assert.doesNotMatch(public_, /Does this answer/);
      for (const viewer of [creator, await logInAsAdmin(service)]) {
        const { body } = await (
          await logInBrowser(service, viewer)
        ).open(`/p/${one.petition.slug}`);
        assert.doesNotMatch(body, /Does this answer your petition|aria-pressed="true"/);
      }
    });
  });
});
