import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addDecisionMaker, deliver } from '../../../test/support/decision-makers.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { createPublished, createUsers, signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('the start page', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService({ worker: true, env: { TRUST_PROXY: '127.0.0.1' } });
    creator = await signUp(service, 'Ada <Lovelace>');
  });
  after(() => service[Symbol.asyncDispose]());

  const titled = (n: number) => `Petition number ${n} of <many>`;
  const read = async (path = '/', headers: Record<string, string> = {}) =>
    (await service.api.get(path, { headers })).body as string;

  it('says that there is nothing yet', async () => {
    await using empty = await startService();
    const { body } = await empty.api.get('/');
    assert.match(body, /Nothing here yet/);
    assert.doesNotMatch(body, /class="total"|class="won"|class="topics"|class="cards/);
  });

  it('shows the total, a victory with its answer, and no petition twice', async () => {
    const categories = (await service.api.get('/v1/categories')).body.data;
    const [category] = categories;
    const petitions = [];
    for (let n = 0; n < 16; n += 1) {
      petitions.push(await createPublished(creator, { title: titled(n), categoryId: category.id }));
    }
    const signers = await createUsers(service, 3);
    const won = petitions.slice(0, 3);
    for (const [index, { id }] of won.entries()) {
      for (const signer of signers.slice(0, index + 1))
        await signer.api.post(`/v1/petitions/${id}/signatures`);
      const message = `We won <number ${index}>`;
      const { status } = await creator.api.post(`/v1/petitions/${id}/victory`, {
        victory_message: message,
      });
      assert.equal(status, 200);
    }
    // Lists know a count some seconds later.
    const isCounted = () =>
      service.ctx.db.value<boolean>`select sum(sort_count) = 6 from petitions where listed`;
    await eventually(isCounted, 10_000);
    const topic = new RegExp(`category=${category.slug}">.*<span class="quiet number">16</span>`);
    await eventually(async () => topic.test(await read()), 10_000);
    const body = await read();
    assert.match(body, /<strong class="number">6<\/strong> signatures given here/);
    const feature = /<article class="won">.*?<\/article>/s.exec(body)![0];
    assert.match(feature, /Petition number 2 of &lt;many&gt;/);
    assert.match(feature, /We won &lt;number 2&gt;/);
    assert.match(feature, /3 signatures/);
    const links = [...body.matchAll(/href="(\/p\/[^"]+)"/g)].map(([, href]) => href);
    assert.ok(links.length > 10, links.join(' '));
    assert.deepEqual(links, [...new Set(links)]);
    assert.doesNotMatch(body, new RegExp(`category=${categories[1].slug}"`));
  });

  it('shows the answer of a decision maker before the words of the creator', async () => {
    await using other = await startService({ worker: true });
    const ada = await signUp(other, 'Ada');
    const { id } = await createPublished(ada);
    const maker = await addDecisionMaker(ada, { id });
    const { token } = await deliver(other, ada, maker);
    const answer = { body: 'We build <it> next year.' };
    const { status, body: response } = await other.api.post(`/respond/${token}`, answer);
    assert.equal(status, 201);
    assert.equal((await ada.api.post(`/v1/responses/${response.data.id}/publish`)).status, 200);
    await ada.api.post(`/v1/petitions/${id}/victory`, { victory_message: 'Thanks to all.' });
    const { body } = await other.api.get('/');
    assert.match(body, /We build &lt;it&gt; next year\./);
    assert.doesNotMatch(body, /Thanks to all/);
  });

  it('leads to the petitions of the reader’s country, if it is known', async () => {
    const near = async (address: string) => {
      const headers = { 'x-forwarded-for': address };
      const answer = await service.api.get('/near', { headers });
      assert.equal(answer.status, 303);
      return answer.headers.get('location');
    };
    assert.equal(await near('193.0.6.139'), '/petitions?country=NL');
    assert.equal(await near('10.0.0.1'), '/petitions');
  });
});
