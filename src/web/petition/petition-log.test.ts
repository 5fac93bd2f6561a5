import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { writeLog } from '../../../test/support/log.ts';
import { createDraft, createPublished, signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { signByMany } from '../../../test/support/signing.ts';

describe('the page of a petition in the public log', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService();
    creator = await signUp(service, 'Creator');
  });
  after(() => service[Symbol.asyncDispose]());

  const open = async (path: string, { api } = service) => {
    const { status, body } = await api.get(path);
    return { status, text: String(body).replaceAll('\u00a0', ' ') };
  };
  /** Opens the page once it has a text: what it reads is up to a second old. */
  const opened = async (slug: string, text: string) => {
    let page = '';
    await eventually(async () => {
      page = (await open(`/p/${slug}/log`)).text;
      return page.includes(text);
    });
    return page;
  };

  it('says what its entries add up to, and whether the petition shows the same', async () => {
    const petition = await createPublished(creator);
    assert.match((await open(`/p/${petition.slug}/log`)).text, /Nothing has been counted yet/);
    const [first] = await signByMany(service, petition, 3);
    await writeLog(service.ctx);
    assert.equal(
      (await first!.api.delete(`/v1/petitions/${petition.id}/signatures/me`)).status,
      204,
    );
    await opened(petition.slug, 'The petition shows 2 signatures at this moment.');
    await writeLog(service.ctx);
    const page = await opened(petition.slug, 'This is the count that the petition shows.');
    assert.match(page, /3 signed − 1 undone \+ 0 restored \+ 0 imported = <strong>2<\/strong>/);
    assert.match(page, /npx open-petitions-verifier audit http:\/\/petitions\.test/);
    for (const address of ['/log', `/v1/petitions/${petition.id}/log/entries`]) {
      assert.ok(page.includes(`href="${address}"`), address);
    }
    assert.ok(page.includes(petition.log_id));
  });

  it('is linked from a petition that is in the log', async () => {
    const petition = await createPublished(creator);
    const link = `href="/p/${petition.slug}/log"`;
    assert.ok(!(await open(`/p/${petition.slug}`)).text.includes(link));
    await writeLog(service.ctx);
    await eventually(async () => (await open(`/p/${petition.slug}`)).text.includes(link));
    await using without = await startService({ beside: service, env: { LOG: 'off' } });
    assert.ok(!(await open(`/p/${petition.slug}`, without)).text.includes(link));
    assert.equal((await open(`/p/${petition.slug}/log`, without)).status, 404);
  });

  it('is for those who may read the petition', async () => {
    const access = { visibility: 'private', accessCode: 'a secret' };
    const petition = await createPublished(creator, access);
    await signByOwner(petition);
    await writeLog(service.ctx);
    assert.equal((await open(`/p/${petition.slug}/log`)).status, 403);
    const { body } = await creator.api.get(`/v1/petitions/${petition.id}`);
    const code = String(body.data.access_code ?? access.accessCode);
    const query = `access_code=${encodeURIComponent(code)}`;
    const { status, text } = await open(`/p/${petition.slug}/log?${query}`);
    assert.equal(status, 200);
    assert.ok(text.includes(`/v1/petitions/${petition.id}/log/entries?${query}`));
    const draft = await createDraft(creator);
    assert.equal((await open(`/p/${draft.slug}/log`)).status, 404);
  });

  async function signByOwner({ id }: { id: string }): Promise<void> {
    assert.equal((await creator.api.post(`/v1/petitions/${id}/signatures`)).status, 201);
  }

  it('puts earlier days into one row', async () => {
    const petition = await createPublished(creator);
    await signByMany(service, petition, 1);
    await writeLog(service.ctx);
    await service.ctx.db`
      insert into transparency_days (petition, day, signs)
      select t.number, date '2020-01-01' + n, 1
      from transparency_petitions t, generate_series(0, 99) n where t.petition_id = ${petition.id}`;
    const page = await opened(petition.slug, '101 signed');
    assert.match(
      page,
      /Until <time[^>]*>February 10, 2020<\/time><\/th><td class="number">41<\/td>/,
    );
    assert.equal(page.match(/<th scope="row">/g)!.length, 61);
  });
});
