import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { isFile, readSteps } from '../support/guide.ts';
import { readMail } from '../support/mail.ts';
import { createPublished, signUp, type Person } from '../support/people.ts';
import { freePort } from '../support/process.ts';
import { startService, type Service } from '../support/service.ts';
import { needsChromium, openChromium, openSite } from './chromium.ts';

describe('pages of the guide to the API', needsChromium, () => {
  let service: Service;
  let browser: Browser;
  let creator: Person;
  let petition: { id: string };
  before(async () => {
    service = await startService({ port: await freePort(), worker: true });
    browser = await openChromium();
    creator = await signUp(service, 'Grace');
    petition = await createPublished(creator, { title: 'A bench at every bus stop' });
  });
  after(async () => {
    await browser.close();
    await service[Symbol.asyncDispose]();
  });

  /** A page of the guide on a site of its own. */
  const openPage = (page: string, name: string) => {
    const steps = readSteps(readFileSync(`docs/api/${page}`, 'utf8'));
    const { text } = steps.filter(isFile).find((one) => one.name === name)!;
    return openSite(text.replaceAll('http://localhost:3000', service.origin));
  };
  const sign = () => creator.api.post(`/v1/petitions/${petition.id}/signatures`);
  const withdraw = () => creator.api.delete(`/v1/petitions/${petition.id}/signatures/me`);

  it('sign without an account, and show the growing count', async () => {
    await using site = await openPage('your-site.md', 'sign.html');
    const page = await browser.newPage();
    await page.goto(site.origin);
    await page.getByText('0 have signed.').waitFor();
    await page.getByLabel('Name').fill('Alan');
    await page.getByLabel('Email').fill('alan@example.org');
    await page.getByRole('button', { name: 'Sign' }).click();
    const codeField = page.getByLabel('The code in the mail');
    await codeField.fill('000000');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('This is not the code in the mail.').waitFor();

    let code: string | undefined;
    await eventually(async () => {
      const mails = (await service.mails()).map(readMail);
      code = mails.find(({ to }) => to === 'alan@example.org')?.subject.slice(0, 6);
      return code !== undefined;
    });
    await codeField.fill(code!);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Thank you. You are number 1.').waitFor();
    await page.getByText('1 have signed.').waitFor();
    assert.equal((await sign()).status, 201);
    await page.getByText('2 have signed.').waitFor();
    await page.close();
  });

  it('show the falling count', async () => {
    await using site = await openPage('real-time.md', 'count.html');
    const page = await browser.newPage();
    await page.goto(site.origin);
    await page.getByText('2', { exact: true }).waitFor();
    await withdraw();
    await page.getByText('1', { exact: true }).waitFor();
    await page.close();
  });
});
