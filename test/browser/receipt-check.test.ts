import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { formatOpeningCode, parseReceipt } from '../../src/platform/transparency/receipts.ts';
import { eventually } from '../support/eventually.ts';
import { createPublished, signUp, type Person } from '../support/people.ts';
import { freePort } from '../support/process.ts';
import { startService, type Service } from '../support/service.ts';
import { needsChromium, openAlone, openChromium } from './chromium.ts';
import { logInAt } from './looks.ts';

describe('the check of a receipt in a browser', needsChromium, () => {
  let service: Service;
  let browser: Browser;
  let url: string;
  let signer: Person;
  let petition: string;
  let receipt: string;
  before(async () => {
    const port = await freePort();
    const baseUrl = `http://127.0.0.1:${port}`;
    url = `${baseUrl}/log`;
    service = await startService({ port, worker: true, env: { BASE_URL: baseUrl } });
    browser = await openChromium();
    const creator = await signUp(service, 'Creator');
    signer = await signUp(service, 'Signer');
    petition = (await createPublished(creator)).id;
    const path = `/v1/petitions/${petition}/signatures`;
    assert.equal((await signer.api.post(path)).status, 201);
    await eventually(async () => {
      const { status, body } = await signer.api.get(`${path}/me/receipt`);
      receipt = body as string;
      return status === 200;
    });
  });
  after(async () => {
    await browser.close();
    await service[Symbol.asyncDispose]();
  });

  const result = (page: Page) => page.locator('[data-receipt-check] [role=status]');
  const check = async (page: Page, text: string) => {
    await page.locator('#receipt').fill(text);
    await page.locator('[data-receipt-check] button').click();
  };
  const says = async (page: Page, text: RegExp) => {
    const line = result(page).locator('p', { hasText: text });
    await line.waitFor();
  };
  const indexOf = () => parseReceipt(receipt).index;

  it('needs no connection once the page is loaded', async () => {
    await using alone = await openAlone(browser, url, { locale: 'en' });
    const { page, errors } = alone;
    await page.context().setOffline(true);
    await check(page, receipt);
    await says(
      page,
      /^The receipt is genuine: your signature was counted as entry [\d,]+, when the log had [\d,]+ entries\.$/,
    );
    await says(page, /as soon as you are online/);
    assert.equal(await result(page).getAttribute('data-result'), 'good');
    // One character of the opening, of the proof, of the root and of the signature.
    const lines = receipt.split('\n');
    const change = (line: number, at: number) => {
      const other = lines[line]![at] === 'x' ? 'y' : 'x';
      return lines
        .with(line, lines[line]!.slice(0, at) + other + lines[line]!.slice(at + 1))
        .join('\n');
    };
    const end = lines.indexOf('');
    const cases: [string, RegExp][] = [
      [change(1, 40), /not genuine|not a whole receipt/],
      [change(3, 5), /not genuine: its proof/],
      [change(end + 3, 5), /not genuine: a signature/],
      [change(end + 5, 70), /not genuine: a signature/],
      [lines.with(2, `index ${indexOf() + 1}`).join('\n'), /not genuine: its proof/],
      [receipt.slice(0, -30), /not a whole receipt|signature in it/],
      [receipt.replaceAll(/127\.0\.0\.1:\d+\/log/g, 'elsewhere.example/log'), /another log/],
      ['This is no receipt', /not a whole receipt/],
    ];
    for (const [text, expected] of cases) {
      await check(page, text);
      await says(page, expected);
      assert.equal(await result(page).getAttribute('data-result'), 'bad');
    }
    await check(page, receipt);
    await says(page, /receipt is genuine/);
    await page.context().setOffline(false);
    await says(page, /^It still counts\.$/);
    assert.deepEqual(
      errors.filter((line) => !line.includes('ERR_INTERNET_DISCONNECTED')),
      [],
    );
  });

  it('sends no receipt where scripts do not run', async () => {
    await using alone = await openAlone(browser, url, { locale: 'en', javaScriptEnabled: false });
    const { page } = alone;
    const requests: string[] = [];
    page.on('request', (request) => requests.push(`${request.url()} ${request.postData() ?? ''}`));
    await page.locator('#receipt').fill(receipt);
    await page.locator('[data-receipt-check] button').click();
    await page.waitForLoadState();
    assert.ok(requests.length > 0, 'the form was sent');
    assert.ok(!requests.some((one) => one.includes('tlog-proof')), requests.join('\n'));
  });

  it('takes a file, and says it in the language of the page', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'receipt-'));
    await writeFile(join(folder, 'receipt.tlog-proof'), receipt);
    for (const [locale, expected] of [
      ['de', /^Sie zählt noch\.$/],
      ['ar', /^ما زال يُحتسب\.$/],
    ] as const) {
      await using alone = await openAlone(browser, url, { locale });
      await alone.page.locator('#receipt-file').setInputFiles(join(folder, 'receipt.tlog-proof'));
      await says(alone.page, expected);
      assert.deepEqual(alone.errors, []);
    }
    await rm(folder, { recursive: true });
  });

  it('takes an opening from the fragment of its address, which is not sent', async () => {
    const { opening, index: leaf } = parseReceipt(receipt);
    const { signature, random } = opening;
    const code = formatOpeningCode(opening, leaf);
    const requests: string[] = [];
    await using alone = await openAlone(browser, 'about:blank', { locale: 'en' });
    const { page, errors } = alone;
    page.on('request', (request) => requests.push(`${request.url()} ${request.postData() ?? ''}`));
    await page.goto(`${url}#${code}`);
    await says(page, /receipt is genuine/);
    await says(page, /^It still counts\.$/);
    assert.ok(requests.some((one) => one.includes('/log/tile/0/')));
    for (const secret of [random, signature]) {
      assert.ok(!requests.some((one) => one.split('#')[0]!.includes(secret)));
    }
    await page.goto(`${url}#${code.replace(random, Buffer.alloc(32).toString('base64url'))}`);
    await says(page, /not genuine/);
    assert.deepEqual(errors, []);
  });

  it('is where the QR code of a signer leads', async () => {
    await using alone = await openAlone(browser, 'about:blank', { locale: 'en' });
    const { page, errors } = alone;
    const { origin } = new URL(url);
    await logInAt(page, signer, origin);
    await page.goto(`${origin}/signatures`);
    await page.getByRole('link', { name: 'Check that it counts' }).click();
    await page.getByRole('img', { name: /^Code that leads/ }).waitFor();
    await page.getByRole('link', { name: 'Check here' }).click();
    await says(page, /receipt is genuine/);
    assert.deepEqual(errors, []);
  });

  it('shows that a signature was withdrawn since', async () => {
    await using alone = await openAlone(browser, url, { locale: 'en' });
    const { page } = alone;
    await page.context().setOffline(true);
    const path = `/v1/petitions/${petition}/signatures/me`;
    assert.equal((await signer.api.delete(path)).status, 204);
    await eventually(async () => {
      const { body } = await service.api.get(`/v1/log/leaves/${indexOf()}`);
      return body.data.undone !== null;
    });
    await check(page, receipt);
    await says(page, /receipt is genuine/);
    await says(page, /as soon as you are online/);
    await page.context().setOffline(false);
    await says(page, /^It no longer counts: it was withdrawn by its signer\.$/);
    assert.equal(await result(page).getAttribute('data-result'), 'undone');
  });
});
