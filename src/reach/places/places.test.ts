import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createPublished, signUp } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('suggested places', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service[Symbol.asyncDispose]());

  const suggest = (query: Record<string, string>, headers = {}) =>
    service.api.get(`/v1/places?${new URLSearchParams(query).toString()}`, { headers });

  it('have a label and names', async () => {
    const { status, body } = await suggest({ q: 'Springf', country: 'us', limit: '3' });
    assert.equal(status, 200);
    assert.equal(body.data.length, 3);
    const illinois = body.data.find(({ region }: { region: string }) => region === 'Illinois');
    assert.deepEqual(illinois, {
      place: 'US.IL.4250542',
      label: 'Springfield, Illinois, United States',
      city: 'Springfield',
      region: 'Illinois',
      country: 'US',
      country_name: 'United States',
    });
  });

  it('name the country in the language of the query, else of the reader', async () => {
    const labelIn = async (query: object, headers = {}) =>
      (await suggest({ q: 'munich', limit: '1', ...query }, headers)).body.data[0].label;
    assert.equal(await labelIn({ language: 'de' }), 'Munich, Bavaria, Deutschland');
    assert.equal(
      await labelIn({}, { 'accept-language': 'fr-CA,en;q=0.5' }),
      'Munich, Bavaria, Allemagne',
    );
    for (const language of ['tlh', 'xx-000', 'en-x']) {
      assert.equal(await labelIn({ language }), 'Munich, Bavaria, Germany', language);
      assert.equal(await labelIn({}, { 'accept-language': language }), await labelIn({}));
    }
    for (const wanted of ['*', '', '€', ';;', '-', 'a'.repeat(300)]) {
      assert.equal(
        await labelIn({}, { 'accept-language': encodeURI(wanted) }),
        'Munich, Bavaria, Germany',
      );
    }
  });

  it('are cached if they depend on the query only', async () => {
    const caching = async (query: Record<string, string>) =>
      (await suggest(query)).headers.get('cache-control');
    assert.equal(
      await caching({ q: 'leeds', language: 'en', country: 'gb' }),
      'public, max-age=86400',
    );
    assert.equal(await caching({ q: 'leeds', language: 'en' }), null);
  });

  it('need two characters, and an empty answer is none', async () => {
    for (const q of ['', 'a', 'a'.repeat(101)]) assert.equal((await suggest({ q })).status, 422, q);
    for (const q of ['le', '???', '12345', '%00', 'xqzxqz']) {
      const { status, body } = await suggest({ q });
      assert.deepEqual([status, body.data], [200, []], q);
    }
    assert.equal((await suggest({ q: '北京' })).body.data[0].city, 'Beijing');
  });

  it('count as exactly what was chosen', async () => {
    const petition = await createPublished(await signUp(service));
    for (const { place, label } of (await suggest({ q: 'Springf' })).body.data) {
      const signer = await signUp(service);
      const { body } = await signer.api.post(`/v1/petitions/${petition.id}/signatures`, {
        display_location: label,
      });
      const [row] = await service.ctx.db<{ place: string }[]>`
        select place from signatures where id = ${body.data.id}`;
      assert.equal(row!.place, place);
    }
  });
});
