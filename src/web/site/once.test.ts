import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser } from '../../../test/support/browser.ts';
import { petitionInput, published, signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('a form that is sent twice', () => {
  let service: Service;
  let creator: Person;
  let browser: Browser;
  before(async () => {
    service = await startService();
    creator = await signUp(service, 'Creator');
    browser = new Browser(service.api);
    const { email, password } = creator;
    await browser.submit(await browser.open('/login'), { email, password });
  });
  after(() => service[Symbol.asyncDispose]());

  const count = async (path: string): Promise<number> =>
    (await creator.api.get(path)).body.data.length;

  /** Sends the page's form, as it was given out once, three times: twice of them at the same moment. */
  const sendThrice = async (path: string, values: Record<string, string>, to: string) => {
    const page = await browser.open(path);
    const send = () => browser.submit(page, values, to);
    const answers = [...(await Promise.all([send(), send()])), await send()];
    for (const { status } of answers) assert.equal(status, 200);
    return { answers, page };
  };

  it('is one comment, until somebody goes back and has more to say', async () => {
    const { id, slug } = await published(creator);
    const to = `/p/${slug}/comments`;
    const comments = `/v1/petitions/${id}/comments`;
    const another = await browser.open(`/p/${slug}`);
    const { answers, page } = await sendThrice(`/p/${slug}`, { body: 'Once' }, to);
    for (const { body } of answers) assert.match(body, /Your comment is published\./);
    assert.equal(await count(comments), 1);
    await browser.submit(page, { body: 'Once more' }, to);
    assert.equal(await count(comments), 2);
    await browser.submit(another, { body: 'Once' }, to);
    assert.equal(await count(comments), 3);
  });

  it('is one reply', async () => {
    const { id, slug } = await published(creator);
    const comments = `/v1/petitions/${id}/comments`;
    const { body } = await creator.api.post(comments, { body: 'The beginning' });
    const thread = `/p/${slug}/comments/${body.data.id}`;
    await sendThrice(thread, { body: 'An answer' }, `/p/${slug}/comments`);
    const { data } = (await creator.api.get(comments)).body;
    assert.equal(data[0].replies.length, 1);
  });

  it('is one update', async () => {
    const { id } = await published(creator);
    const at = `/dashboard/petitions/${id}/updates`;
    await sendThrice(at, { title: 'News', body: 'There is some.' }, at);
    assert.equal(await count(`/v1/petitions/${id}/updates`), 1);
  });

  it('is one draft', async () => {
    const { title, description } = petitionInput;
    const { answers } = await sendThrice('/start', { title, description, go: 'next' }, '/start');
    for (const { body } of answers) assert.equal(body, answers[0]!.body);
    assert.equal(await count('/v1/petitions?status=draft'), 1);
  });

  it('is one decision maker, who is there already for another form alone', async () => {
    const { id } = await published(creator);
    const at = `/dashboard/petitions/${id}/decision-makers`;
    const maker = { name: 'Jo Mayor', email: 'jo@example.org' };
    await sendThrice(at, maker, at);
    assert.equal((await browser.submit(await browser.open(at), maker, at)).status, 409);
  });

  it('is shown again where something is wrong with it, and then sent', async () => {
    const { id } = await published(creator);
    const at = `/dashboard/petitions/${id}/updates`;
    const wrong = await browser.submit(await browser.open(at), { title: 'News', body: ' ' }, at);
    assert.equal(wrong.status, 422);
    assert.match((await browser.submit(wrong, { body: 'There is some.' }, at)).body, /News/);
    assert.equal(await count(`/v1/petitions/${id}/updates`), 1);
  });
});
