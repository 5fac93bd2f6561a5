import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContext } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { createTokens, createPublished, signUp, type Person } from '../support/people.ts';
import { freePort } from '../support/process.ts';
import { startService, type Service } from '../support/service.ts';
import { needsChromium, openChromium } from './chromium.ts';
import { logInAt } from './looks.ts';

describe('moderation in a browser', needsChromium, () => {
  let service: Service;
  let browser: Browser;
  let baseURL: string;
  let moderator: Person;
  before(async () => {
    const port = await freePort();
    baseURL = `http://localhost:${port}`;
    service = await startService({ port, worker: true, env: { RATE_LIMITS: 'off' } });
    browser = await openChromium();
    moderator = await signUp(service, 'Moderator');
    await service.ctx.db`update users set role = 'admin' where id = ${moderator.id}`;
    await service.app.sessions.revocations.refresh();
  });
  after(async () => {
    await browser.close();
    await service[Symbol.asyncDispose]();
  });

  const reported = async () => {
    const creator = await signUp(service, 'Creator');
    const petition = await createPublished(creator, { title: 'Give every street a bench' });
    for (const token of await createTokens(service, 5)) {
      await service.api.as(token).post(`/v1/petitions/${petition.id}/signatures`);
    }
    const report = { target_type: 'petition', target_id: petition.id, reason: 'spam' };
    await (await signUp(service, 'Reporter')).api.post('/v1/reports', report);
    return petition;
  };
  const read = async ({ id }: { id: string }) =>
    (await moderator.api.get(`/v1/petitions/${id}`)).body.data;

  /** Opens the report, hides and approves the petition, then invalidates its signatures and restores them. */
  const journey = async (context: BrowserContext) => {
    const petition = await reported();
    const page = await context.newPage();
    await logInAt(page, moderator);
    await page.goto('/moderation');
    const report = page.locator('main .list > li', { hasText: petition.title }).last();
    await report.locator('[name=action][value=hide_content]').check();
    await report.locator('form button').click();
    await page.locator('[role=status]').waitFor();
    assert.equal((await read(petition)).status, 'under_review');
    await page.goto('/moderation/petitions');
    await page.locator('main .list a', { hasText: petition.title }).first().click();
    await page.locator('button[value=approve]').click();
    await page.locator('[role=status]').waitFor();
    assert.equal((await read(petition)).status, 'active');
    await page.goto(`/moderation/petitions/${petition.id}/integrity`);
    await page.locator('#own-rule [name=domain]').fill('example.org');
    await page.locator('#own-rule button').click();
    await page.locator('[name=reason]').fill('All from one address book');
    await page.locator('button.danger').click();
    await page.locator('[role=status]').waitFor();
    await eventually(async () => (await read(petition)).signature_count === 0);
    await page.reload();
    await page.locator('form[action$="/undo"] button').first().click();
    await eventually(async () => (await read(petition)).signature_count === 5);
    return petition;
  };

  it('chooses by keys, and decides by the button alone', async () => {
    await reported();
    await reported();
    await using context = await browser.newContext({ baseURL });
    const page = await context.newPage();
    await logInAt(page, moderator);
    await page.goto('/moderation');
    const reports = page.locator('[data-report]');
    const focused = () =>
      reports.evaluateAll((all) =>
        all.findIndex((one) => one.contains(one.ownerDocument.activeElement)),
      );
    const press = (key: string) => page.keyboard.press(key);
    const chosen = () =>
      page
        .locator('[name=action]:checked')
        .evaluateAll((all) => all.map((one) => one.getAttribute('value')));
    assert.deepEqual(await chosen(), []);
    await press('a');
    assert.deepEqual(await chosen(), [], 'no report is current');
    await press('j');
    assert.equal(await focused(), 0);
    await press('j');
    assert.equal(await focused(), 1);
    await press('k');
    assert.equal(await focused(), 0);
    await press('d');
    assert.deepEqual(await chosen(), []);
    assert.equal(await page.locator(':focus').getAttribute('value'), 'dismiss');
    await press('a');
    assert.deepEqual(await chosen(), ['dismiss']);
    await press('h');
    assert.deepEqual(await chosen(), ['hide_content']);
    const note = reports.first().locator('[name=note]');
    await note.focus();
    await page.keyboard.type('had a jab?');
    assert.equal(await note.inputValue(), 'had a jab?');
    assert.deepEqual(await chosen(), ['hide_content']);
    const help = page.locator('[data-report-keys]');
    await reports.nth(1).focus();
    await press('?');
    assert.equal(await help.locator('kbd').first().isVisible(), true);
    await help.locator('input').uncheck();
    await page.reload();
    await press('j');
    assert.equal(await focused(), -1, 'keys are off');
    const open = await moderator.api.get('/v1/admin/reports');
    assert.equal(open.body.data.length, await reports.count(), 'nothing was decided');
    // One press on the button without a choice decides nothing.
    await reports.first().locator('form button').click();
    assert.equal(new URL(page.url()).pathname, '/moderation');
    const still = await moderator.api.get('/v1/admin/reports');
    assert.equal(still.body.data.length, open.body.data.length);
  });

  for (const javaScriptEnabled of [true, false]) {
    it(`handles a report and an invalidation, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      await using context = await browser.newContext({ baseURL, javaScriptEnabled });
      await journey(context);
    });
  }
});
