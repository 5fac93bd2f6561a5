import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { addDecisionMaker, deliver } from '../support/decision-makers.ts';
import { eventually } from '../support/eventually.ts';
import { createPublished, signUp, verifyAddress, type Person } from '../support/people.ts';
import { noiseImage, uploadAndConfirm } from '../support/pictures.ts';
import { freePort } from '../support/process.ts';
import { startService, type Service } from '../support/service.ts';
import { needsChromium, openChromium } from './chromium.ts';
import { faultsOf, logInAt } from './looks.ts';

const description =
  'The path along the river is dark after five. We ask the council to light it, so that all of us get home safely.';

/** HTML as programs put it into the clipboard, and the Markdown that it becomes. */
const pastes = {
  'a web page': [
    `<meta charset="utf-8"><h1>Why</h1><p>The <b>path</b>&nbsp;is <i>dark</i>, see <a href="https://a.example/x?a=1">the
      plan</a>.<br>Next line</p><ul><li>one<ul><li>inner</li></ul></li><li><strong>two</strong></li></ul>
      <ol start="3"><li>three</li><li>four</li></ol><blockquote><p>They said</p><p>no</p></blockquote>`,
    '# Why\n\nThe **path** is *dark*, see [the plan](https://a.example/x?a=1).\nNext line\n\n- one\n  - inner\n- **two**\n\n3. three\n4. four\n\n> They said\n>\n> no',
  ],
  Word: [
    `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p.MsoNormal {margin:0}</style></head><body lang=EN>
      <!--StartFragment--><p class=MsoNormal><b><span style='font-size:12.0pt'>Our demand<o:p></o:p></span></b></p>
      <p class=MsoNormal>Light the path <i style='mso-bidi-font-style:normal'>now</i>.<o:p></o:p></p>
      <p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span
      style='font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp;
      </span></span></span><![endif]>lamps<o:p></o:p></p>
      <p class=MsoListParagraphCxSpMiddle style='mso-list:l0 level2 lfo1'><![if !supportLists]><span
      style='mso-list:Ignore'>o<span>&nbsp;&nbsp;</span></span><![endif]>warm light<o:p></o:p></p>
      <p class=MsoListParagraphCxSpLast style='mso-list:l0 level1 lfo1'><![if !supportLists]><span
      style='mso-list:Ignore'>·<span>&nbsp;</span></span><![endif]>benches<o:p></o:p></p>
      <p class=MsoNormal>Then:</p>
      <p class=MsoListParagraph style='mso-list:l1 level1 lfo2'><![if !supportLists]><span
      style='mso-list:Ignore'>1.<span>&nbsp;</span></span><![endif]>vote</p><!--EndFragment--></body></html>`,
    '**Our demand**\n\nLight the path *now*.\n\n- lamps\n  - warm light\n- benches\n\nThen:\n\n1. vote',
  ],
  'Google Docs': [
    `<meta charset='utf-8'><b style="font-weight:normal;" id="docs-internal-guid-1"><p dir="ltr" style="line-height:1.38;"><span
      style="font-size:11pt;font-weight:400;white-space:pre-wrap;">Plain, </span><span
      style="font-weight:700;font-style:normal;">bold </span><span style="font-weight:400;font-style:italic;">slanted</span></p><br /><ul
      style="margin-top:0;"><li dir="ltr" aria-level="1"><p role="presentation"><span style="font-weight:400">one</span></p></li><ul><li
      aria-level="2"><p role="presentation"><span style="font-weight:400">deeper</span></p></li></ul></ul><p><a
      href="https://www.google.com/url?q=https://a.example/plan&sa=D"><span style="font-weight:400">plan</span></a></p></b>`,
    'Plain, **bold** *slanted*\n\n- one\n  - deeper\n\n[plan](https://a.example/plan)',
  ],
  'a text with characters of marks': [
    `<p><b>Note:</b>2*3*4 _is_ 24; a_b stays. [x](https://a.example) &lt;https://b.example&gt;</p><p># not a heading</p>
      <p>- not a list</p><p>1. not either</p><p>&gt; no quote</p><table><tr><td>a</td><td>b</td></tr></table>`,
    String.raw`**Note**:2\*3\*4 \_is\_ 24; a_b stays. \[x](https://a.example) \<https://b.example>` +
      '\n\n' +
      String.raw`\# not a heading` +
      '\n\n' +
      String.raw`\- not a list` +
      '\n\n' +
      String.raw`1\. not either` +
      '\n\n' +
      String.raw`\> no quote` +
      '\n\na | b',
  ],
  'a hostile page': [
    `<b onclick="x()">bold</b><script>window.hacked=1</script><img src=x onerror="window.hacked=1"><iframe
      src="javascript:parent.hacked=1"></iframe><svg onload="window.hacked=1"><text>s</text></svg><a
      href="javascript:alert(1)">click</a> <a href="https://bank.example@other.example/">bank</a><style>@import
      "https://other.example/x.css"</style><a href="data:text/html,x">data</a><p style="background:url(https://other.example/p.gif)"
      >end</p>`,
    '**bold**click bankdata\n\nend',
  ],
} as const;

describe('the editor in a browser', needsChromium, () => {
  let service: Service;
  let browser: Browser;
  let creator: Person;
  before(async () => {
    service = await startService({ port: await freePort(), worker: true });
    browser = await openChromium();
    creator = await signUp(service, 'Writer');
    await verifyAddress(service, creator);
  });
  after(async () => {
    await browser.close();
    await service[Symbol.asyncDispose]();
  });

  /** The first step of a new petition, with errors of the page. */
  const open = async (options: BrowserContextOptions = {}, path = '/start') => {
    const context = await browser.newContext({ baseURL: service.origin, ...options });
    const page = await context.newPage();
    await logInAt(page, creator);
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (line) => {
      // Drafts are not saved before they are long enough.
      const isRefusedDraft = line.text().includes('status of 422');
      if (line.type() === 'error' && !isRefusedDraft) faults.push(line.text());
    });
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== service.origin) faults.push(request.url());
    });
    await page.goto(path);
    return { context, page, faults, area: page.locator('.editor textarea').first() };
  };

  const select = (page: Page, start: number, end = start) =>
    page.evaluate(`
      (() => {
        const area = document.querySelector('.editor textarea');
        area.focus();
        area.setSelectionRange(${start}, ${end});
      })()`);

  const paste = (page: Page, html: string) =>
    page.evaluate(`
      (() => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/html', ${JSON.stringify(html)});
        clipboardData.setData('text/plain', 'plain');
        const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
        return document.querySelector('.editor textarea').dispatchEvent(event);
      })()`);

  it('sets marks by buttons and keys, which can be undone', async () => {
    const { context, page, faults, area } = await open();
    await area.fill('one two');
    await select(page, 4, 7);
    await page.keyboard.press('Control+b');
    assert.equal(await area.inputValue(), 'one **two**');
    await page.keyboard.press('Control+i');
    assert.equal(await area.inputValue(), 'one ***two***');
    await page.keyboard.press('Control+z');
    assert.equal(await area.inputValue(), 'one **two**');
    await page.keyboard.press('Control+z');
    assert.equal(await area.inputValue(), 'one two');
    await page.keyboard.press('Control+Shift+z');
    assert.equal(await area.inputValue(), 'one **two**');
    await select(page, 6, 9);
    await page.keyboard.press('Control+b');
    assert.equal(await area.inputValue(), 'one two');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('https://a.example/x');
    assert.equal(await area.inputValue(), 'one [two](https://a.example/x)');

    await area.fill('a\nb');
    // The buttons stand before the text in the order of Tab.
    await page.locator('#title').focus();
    for (const name of ['Bold', 'Italics', 'Heading', 'List']) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate('document.activeElement.getAttribute("aria-label")');
      assert.equal(focused, name);
    }
    await area.selectText();
    await page.getByRole('button', { name: 'List' }).press('Enter');
    assert.equal(await area.inputValue(), '- a\n- b');
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'TEXTAREA');
    await page.keyboard.press('Control+z');
    assert.equal(await area.inputValue(), 'a\nb');
    assert.deepEqual(faults, []);
    await context.close();
  });

  it('shows what the text becomes', async () => {
    const { context, page, faults, area } = await open();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('There is nothing to show yet.').waitFor();
    await page.getByRole('button', { name: 'Write' }).click();
    await area.fill('# Why\n\n**dark** <b>x</b> ![](https://other.example/x.webp)\n\n- a');
    await page.getByRole('button', { name: 'Preview' }).click();
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.locator('strong').waitFor();
    assert.equal(await preview.locator('h2').textContent(), 'Why');
    assert.equal(await preview.locator('b, img').count(), 0);
    assert.equal(await area.isVisible(), false);
    assert.equal(await page.getByRole('button', { name: 'Bold' }).count(), 0);
    assert.deepEqual(await faultsOf(page), []);
    await page.getByRole('button', { name: 'Write' }).click();
    assert.match(await area.inputValue(), /^# Why/);
    assert.deepEqual(faults, []);

    await page.route('**/preview', (route) => route.abort());
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('The preview could not be loaded.').waitFor();
    // An empty field is reported where it can be filled in.
    await page.getByRole('button', { name: 'Write' }).click();
    await area.fill('');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.fill('#title', 'Light the path');
    await page.getByRole('button', { name: 'Continue' }).click();
    await eventually(() => area.isVisible());
    assert.equal(new URL(page.url()).pathname.startsWith('/start'), true);
    await context.close();
  });

  it('renders previews for pages of the service only', async () => {
    const body = new URLSearchParams({ text: '**a**' });
    const send = (headers: Record<string, string>, fields = body) =>
      fetch(`${service.origin}/preview`, { method: 'POST', body: fields, headers });
    const answer = await send({ origin: service.origin });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.match(await answer.text(), /<strong>a<\/strong>/);
    assert.equal((await send({ origin: 'https://other.example' })).status, 403);
    assert.equal((await send({ 'sec-fetch-site': 'cross-site' })).status, 403);
    const long = new URLSearchParams({ text: 'é'.repeat(50_001) });
    assert.equal((await send({ origin: service.origin }, long)).status, 422);
  });

  for (const [name, [html, markdown]] of Object.entries(pastes)) {
    it(`pastes from ${name}`, async () => {
      const { context, page, faults, area } = await open();
      await area.fill('');
      assert.equal(await paste(page, html), false);
      assert.equal(await area.inputValue(), markdown);
      assert.equal(await page.evaluate('window.hacked'), undefined);
      await page.keyboard.press('Control+z');
      assert.equal(await area.inputValue(), '');
      assert.deepEqual(faults, []);
      await context.close();
    });
  }

  it('leaves text without formatting to the browser', async () => {
    const { context, page, area } = await open();
    assert.equal(await paste(page, '<div><span>a *plain* text</span></div><div>b</div>'), true);
    await area.fill('before after');
    await select(page, 6);
    await paste(page, '<ul><li>x</li></ul>');
    assert.equal(await area.inputValue(), 'before\n\n- x\n\n after');
    await context.close();
  });

  it('saves what was pasted in a draft', async () => {
    const { context, page } = await open();
    await page.fill('#title', 'Light the path along the river');
    await paste(page, `<p><b>${description}</b></p>`);
    await page.getByText('Draft saved.').waitFor();
    const { body } = await creator.api.get('/v1/petitions?status=draft');
    assert.equal(body.data[0].description, `**${description}**`);
    await context.close();
  });

  it('works from right to left on a narrow screen', async () => {
    const { context, page, faults, area } = await open({
      locale: 'ar',
      viewport: { width: 320, height: 640 },
    });
    await area.fill('كلمة');
    await area.selectText();
    await page.getByRole('button', { name: 'غامق' }).click();
    assert.equal(await area.inputValue(), '**كلمة**');
    await page.getByRole('button', { name: 'معاينة' }).click();
    await page.locator('.preview strong').waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await page.getByRole('button', { name: 'كتابة' }).click();
    assert.deepEqual(await faultsOf(page), []);
    assert.deepEqual(faults, []);
    await context.close();
  });

  it('puts pictures into texts', async () => {
    const petition = await createPublished(creator);
    const path = `/dashboard/petitions/${petition.id}/updates`;
    const { context, page, faults, area } = await open({}, path);
    await area.fill('First line');
    await page.getByRole('button', { name: 'Picture' }).click();
    assert.deepEqual(await faultsOf(page), []);
    const panel = page.locator('[data-text-pictures]');
    await panel.getByRole('button', { name: 'Insert the picture' }).click();
    await panel.getByText('Choose a picture first.').waitFor();
    const choose = (buffer: Buffer) =>
      panel.getByLabel('File').setInputFiles({ name: 'path.png', mimeType: 'image/png', buffer });
    await choose(Buffer.from('no picture'));
    await panel.getByText('Choose a picture of 5\u00a0MB at most').waitFor();
    faults.length = 0;
    await choose(await noiseImage(800, 400).png().toBuffer());
    await panel.getByText('The picture is there.').waitFor();
    await panel.getByRole('button', { name: 'Insert the picture' }).click();
    await panel.getByText('Say what the picture shows.').waitFor();
    await page.keyboard.type('The [dark] path');
    await page.keyboard.press('Enter');
    const picture =
      /^First line\n\n!\[The \\\[dark\\\] path\]\((\/media\/[0-9a-f]{32}-\d+\.webp)#(\d+)x(\d+)\)$/;
    const [, address, width, height] = picture.exec(await area.inputValue())!;
    assert.equal(Number(width), 2 * Number(height));
    assert.equal(await panel.isVisible(), false);
    await page.getByRole('button', { name: 'Preview' }).click();
    const shown = page.locator('.preview img');
    await shown.scrollIntoViewIfNeeded();
    await eventually(() =>
      page.evaluate<boolean>(`document.querySelector('.preview img').naturalWidth > 0`),
    );
    assert.equal(await shown.getAttribute('alt'), 'The [dark] path');
    assert.equal(await shown.getAttribute('src'), service.ctx.config.baseUrl + address);
    assert.equal(await shown.getAttribute('width'), width);
    assert.match((await shown.getAttribute('srcset'))!, /-320\.webp 320w, /);
    await page.fill('#title', 'News');
    await page.getByRole('button', { name: 'Look at it' }).click();
    await page.getByRole('button', { name: 'Post the update' }).click();
    await page.getByText('The update is posted').waitFor();
    const { body } = await creator.api.get(`/v1/petitions/${petition.id}/updates`);
    assert.match(body.data[0].body, picture);
    assert.deepEqual(faults, []);
    await context.close();
  });

  it('takes only pictures that texts have', async () => {
    const { context, page } = await open();
    const send = async (
      path: string,
      fields: Record<string, string | { name: string; mimeType: string; buffer: Buffer }>,
    ) => {
      const token = await page.locator('form[data-draft] [name=_token]').inputValue();
      const answer = await page.request.post(path, {
        headers: { origin: service.origin },
        maxRedirects: 0,
        ...(fields.file
          ? { multipart: { _token: token, ...fields } }
          : { form: { _token: token, ...fields } as Record<string, string> }),
      });
      return answer.status();
    };
    const buffer = await noiseImage(40, 30).png().toBuffer();
    const file = { name: 'path.png', mimeType: 'image/png', buffer };
    assert.equal(await send('/text-pictures', { kind: 'user_avatar', file }), 422);
    assert.equal(await send('/text-pictures', { kind: 'petition_image', file }), 200);
    assert.equal(await send('/text-pictures', { kind: 'petition_image', file, _token: 'x' }), 403);
    const other = await signUp(service, 'Other');
    const { body } = await uploadAndConfirm(service, other, {
      bytes: buffer,
      content_type: 'image/png',
    });
    const media: string = body.data.id;
    assert.equal(await send('/text-pictures/status', { media }), 404);
    assert.equal(await send('/text-pictures/status', { media: 'x' }), 404);
    await context.close();
  });

  it('is a text area without scripts', async () => {
    const { context, page, area } = await open({ javaScriptEnabled: false });
    assert.equal(await page.getByRole('button', { name: 'Bold' }).count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Preview' }).count(), 0);
    await page.fill('#title', 'Light the path along the river');
    await area.fill(description);
    await page.getByText('How to format the text').click();
    await page.getByText('**text**').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL('**/details');
    await context.close();
  });

  it('is on every form that takes Markdown', async () => {
    const petition = await createPublished(creator);
    const maker = await addDecisionMaker(creator, petition);
    const { token } = await deliver(service, creator, maker, { summary: 'none' });
    const dashboard = `/dashboard/petitions/${petition.id}`;
    const { context, page, faults } = await open();
    for (const path of [
      `${dashboard}/edit`,
      `${dashboard}/updates`,
      `${dashboard}/finish`,
      '/dashboard/organizations/new',
      `/respond/${token}`,
    ]) {
      await page.goto(path);
      const area = page.locator('.editor textarea');
      await area.fill('word');
      await area.selectText();
      await page.getByRole('button', { name: 'Bold' }).click();
      assert.equal(await area.inputValue(), '**word**', path);
      await page.getByRole('button', { name: 'Preview', exact: true }).click();
      await page.locator('.preview strong').waitFor();
    }
    assert.deepEqual(faults, []);
    await context.close();
  });
});
