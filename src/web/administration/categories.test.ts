import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { formOf, logInBrowser, type Browser } from '../../../test/support/browser.ts';
import { signUp } from '../../../test/support/people.ts';
import { admin, startService, type Service } from '../../../test/support/service.ts';

const path = '/admin/site/categories';

describe('the pages of categories', () => {
  let service: Service;
  let browser: Browser;
  before(async () => {
    service = await startService();
    browser = await logInBrowser(service, admin);
  });
  after(() => service[Symbol.asyncDispose]());

  const list = async (query = ''): Promise<{ id: string; name: string; slug: string }[]> =>
    (await service.api.get(`/v1/categories${query}`)).body.data;

  it('are for administrators alone', async () => {
    const visitor = await logInBrowser(service, await signUp(service));
    const { id } = (await list())[0]!;
    for (const one of [path, `${path}/${id}`]) assert.equal((await visitor.open(one)).status, 404);
  });

  it('add, translate, order and merge', async () => {
    const added = await browser.submit(await browser.open(path), { name: 'Harbour' }, path);
    const { action } = formOf(
      added,
      /action="(\/admin\/site\/categories\/[\w-]+)"/.exec(String(added.body))![1],
    );
    const saved = await browser.submit(
      added,
      { name_de: 'Hafen', name_ar: 'الميناء', position: '0' },
      action,
    );
    assert.match(String(saved.body), /role="status">The category is saved/);
    assert.match(
      String(saved.body),
      /Harbour<\/a><\/p>\s*<p class="quiet">No name in Français, Español/,
    );
    assert.equal((await list('?lang=de'))[0]!.name, 'Hafen');
    assert.equal((await list())[0]!.name, 'Harbour');
    const other = (await list()).find(({ slug }) => slug === 'animals')!;
    const page = await browser.open(action);
    const wrong = await browser.submit(page, { position: '5000', name_fr: 'Port' }, action);
    assert.equal(wrong.status, 422);
    assert.match(String(wrong.body), /value="Port"/);
    const taken = await browser.submit(page, { name: 'Animals' }, action);
    assert.equal(taken.status, 409);
    assert.equal((await browser.submit(page, {}, `${action}/merge`)).status, 422);
    const merged = await browser.submit(page, { into: other.id }, `${action}/merge`);
    assert.match(String(merged.body), /merged into Animals/);
    assert.ok(!(await list()).some(({ slug }) => slug === 'harbour'));
    const gone = await browser.open(action);
    assert.equal(gone.status, 200);
    assert.doesNotMatch(String(gone.body), /<form method="post" action="\/admin/);
    assert.equal((await browser.open(`${path}/01a1fe8f-1e78-7684-98f3-5a33b1554d4b`)).status, 404);
  });
});
