import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { addDecisionMaker, deliver, mailsTo, recordOf } from '../support/decision-makers.ts';
import { eventually } from '../support/eventually.ts';
import { createPublished, signUp, verifyAddress } from '../support/people.ts';
import { freePort } from '../support/process.ts';
import { startService, type Service } from '../support/service.ts';
import { needsChromium, openChromium } from './chromium.ts';
import { logInAt } from './looks.ts';

describe('the portal of decision makers in a browser', needsChromium, () => {
  let service: Service;
  let browser: Browser;
  before(async () => {
    service = await startService({ port: await freePort(), worker: true });
    browser = await openChromium();
  });
  after(async () => {
    await browser.close();
    await service[Symbol.asyncDispose]();
  });

  /** The page of the dashboard with decision makers and their responses. */
  const makersOf = ({ id }: { id: string }) => `/dashboard/petitions/${id}/decision-makers`;

  for (const javaScriptEnabled of [true, false]) {
    it(`is asked twice, previews and answers ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
      const creator = await signUp(service, 'Creator');
      await verifyAddress(service, creator);
      const petition = await createPublished(creator);
      const maker = await addDecisionMaker(creator, petition, { name: 'Mobility Office' });
      const { token } = await deliver(service, creator, maker, { summary: 'none' });
      const options = { baseURL: service.origin, javaScriptEnabled };
      const office = await (await browser.newContext(options)).newPage();

      await office.goto(`/respond/${token}`);
      if (javaScriptEnabled) {
        await eventually(async () => (await recordOf(creator, maker)).state === 'opened', 10_000);
      }
      await office.getByRole('link', { name: 'Respond', exact: true }).click();
      await office.fill('#body', 'The road is **not** ours.');
      await office.getByLabel('Against').check();
      await openResponsible(office);
      await office.fill('#responsible', 'The province of Utrecht');
      await office.getByRole('button', { name: 'Preview your response' }).click();
      await office.getByRole('heading', { name: 'Check your response' }).waitFor();
      await office.getByText('that The province of Utrecht is responsible').waitFor();
      assert.equal((await recordOf(creator, maker)).state, 'opened');

      // Changing loses nothing.
      await office.getByText('Change it').click();
      assert.equal(await office.inputValue('#body'), 'The road is **not** ours.');
      assert.equal(await office.inputValue('#responsible'), 'The province of Utrecht');
      assert.ok(await office.getByLabel('Against').isChecked());
      await office.fill('#body', 'The road is not ours, sadly.');
      await office.getByRole('button', { name: 'Preview your response' }).click();
      await office.locator('blockquote', { hasText: 'sadly' }).waitFor();
      await office.getByRole('button', { name: 'Send the response' }).click();
      await office.getByRole('heading', { name: 'Thank you for your response' }).waitFor();
      const mailsOfCreator = async () =>
        (await mailsTo(service, creator.email)).filter(({ subject }) =>
          subject.startsWith('A response to'),
        );
      await eventually(async () => (await mailsOfCreator()).length === 1, 20_000);

      // The campaigner adds whom they named, publishes the response, and asks again.
      const campaigner = await (await browser.newContext(options)).newPage();
      await logInAt(campaigner, creator);
      const [mail] = await mailsOfCreator();
      await campaigner.goto(/http\S+\/dashboard\/petitions\/\S+/.exec(mail!.text)![0]);
      await campaigner.getByText('that The province of Utrecht is responsible.').waitFor();
      await campaigner.getByText('Publish the response').click();
      await campaigner.getByText('The response is published.').waitFor();
      await campaigner.getByRole('link', { name: 'Add as a decision maker' }).click();
      assert.equal(await campaigner.inputValue('#name'), 'The province of Utrecht');
      await campaigner.fill('#email', `province-${javaScriptEnabled}@example.org`);
      await campaigner.getByRole('button', { name: 'Add a decision maker' }).click();
      await campaigner.getByText('The decision maker is added.').waitFor();
      const { token: next } = await deliver(service, creator, maker, { summary: 'none' });

      await office.goto(`/respond/${token}`);
      await office.getByText('This link has ended').waitFor();
      await office.goto(`/respond/${next}`);
      await office.getByRole('heading', { name: 'What you answered before' }).waitFor();
      await office.getByText('The road is not ours, sadly.').waitFor();
      await office.fill('#body', 'It is ours now, and will be lit in May.');
      await office.getByRole('button', { name: 'Preview your response' }).click();
      await office.getByRole('button', { name: 'Send the response' }).click();
      await office.getByRole('heading', { name: 'Thank you for your response' }).waitFor();
      await office.goto(`/respond/${next}`);
      await office.getByRole('link', { name: 'Go to your response' }).click();
      assert.equal(await office.locator('form').count(), 0);

      // The campaigner is told of each at once.
      await eventually(async () => (await mailsOfCreator()).length === 2, 20_000);
      await campaigner.goto(makersOf(petition));
      const item = campaigner.locator('.list > li', { hasText: 'Mobility Office' });
      assert.equal(await item.getByRole('link', { name: 'Given on' }).count(), 2);
      await campaigner.getByText('Publish the response').click();
      await campaigner.getByText('The response is published.').waitFor();
      await campaigner.goto(`/p/${petition.slug}`);
      const shown = await campaigner.locator('#responses blockquote').allInnerTexts();
      assert.deepEqual(shown, [
        'The road is not ours, sadly.',
        'It is ours now, and will be lit in May.',
      ]);
    });
  }

  it('prints a briefing without forms, with the tables of its charts', async () => {
    const creator = await signUp(service, 'Printing');
    await verifyAddress(service, creator);
    const petition = await createPublished(creator);
    const maker = await addDecisionMaker(creator, petition);
    const { token } = await deliver(service, creator, maker, { summary: 'none' });
    const context = await browser.newContext({ baseURL: service.origin, colorScheme: 'dark' });
    const page = await context.newPage();
    await page.goto(`/respond/${token}`);
    await page.emulateMedia({ media: 'print' });
    await page.getByRole('heading', { name: 'What it asks' }).waitFor();
    assert.equal(await page.locator('#answer').isVisible(), false);
    assert.equal(await page.getByRole('link', { name: 'Respond', exact: true }).isVisible(), false);
    await context.close();
  });
});

/** Says that others are responsible, which shows the field for them. */
async function openResponsible(page: Page): Promise<void> {
  assert.equal(await page.locator('#responsible').isVisible(), false);
  await page.getByLabel('This is not mine to decide').check();
  await page.locator('#responsible').waitFor();
}
