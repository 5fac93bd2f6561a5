import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { logInBrowser, type Browser } from '../../../test/support/browser.ts';
import { createPublished, signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('a form that is submitted three times', () => {
  let service: Service;
  let creator: Person;
  let browser: Browser;
  before(async () => {
    service = await startService();
    creator = await signUp(service, 'Creator');
    browser = await logInBrowser(service, creator);
  });
  after(() => service[Symbol.asyncDispose]());

  const count = async (path: string): Promise<number> =>
    (await creator.api.get(path)).body.data.length;

  /** Submits one copy of the page's form three times, two of them concurrently. */
  const submitThrice = async (path: string, values: Record<string, string>, to: string) => {
    const page = await browser.open(path);
    const send = () => browser.submit(page, values, to);
    const answers = [...(await Promise.all([send(), send()])), await send()];
    for (const { status } of answers) assert.equal(status, 200);
    return { answers, page };
  };

  it('creates one comment, and another one if the text was changed', async () => {
    const { id, slug } = await createPublished(creator);
    const to = `/p/${slug}/comments`;
    const comments = `/v1/petitions/${id}/comments`;
    const another = await browser.open(`/p/${slug}`);
    const { answers, page } = await submitThrice(`/p/${slug}`, { body: 'Once' }, to);
    for (const { body } of answers) assert.match(body, /Your comment is published\./);
    assert.equal(await count(comments), 1);
    await browser.submit(page, { body: 'Once more' }, to);
    assert.equal(await count(comments), 2);
    await browser.submit(another, { body: 'Once' }, to);
    assert.equal(await count(comments), 3);
  });

  it('creates one reply', async () => {
    const { id, slug } = await createPublished(creator);
    const comments = `/v1/petitions/${id}/comments`;
    const { body } = await creator.api.post(comments, { body: 'The beginning' });
    const thread = `/p/${slug}/comments/${body.data.id}`;
    await submitThrice(thread, { body: 'An answer' }, `/p/${slug}/comments`);
    const { data } = (await creator.api.get(comments)).body;
    assert.equal(data[0].replies.length, 1);
  });

  it('creates one update', async () => {
    const { id } = await createPublished(creator);
    const path = `/dashboard/petitions/${id}/updates`;
    await submitThrice(path, { title: 'News', body: 'There is some.', sure: 'on' }, path);
    assert.equal(await count(`/v1/petitions/${id}/updates`), 1);
  });

  it('adds one decision maker; another copy of the form conflicts', async () => {
    const { id } = await createPublished(creator);
    const path = `/dashboard/petitions/${id}/decision-makers`;
    const maker = { name: 'Jo Mayor', email: 'jo@example.org' };
    await submitThrice(path, maker, path);
    assert.equal((await browser.submit(await browser.open(path), maker, path)).status, 409);
  });

  it('acts after it was refused and corrected', async () => {
    const { id } = await createPublished(creator);
    const path = `/dashboard/petitions/${id}/updates`;
    const wrong = await browser.submit(
      await browser.open(path),
      { title: 'News', body: ' ' },
      path,
    );
    assert.equal(wrong.status, 422);
    assert.match(
      (await browser.submit(wrong, { body: 'There is some.', sure: 'on' }, path)).body,
      /News/,
    );
    assert.equal(await count(`/v1/petitions/${id}/updates`), 1);
  });
});
