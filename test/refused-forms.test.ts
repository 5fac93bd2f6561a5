import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, formOf, logInBrowser } from './support/browser.ts';
import type { Answer } from './support/client.ts';
import { allPages, type PageState } from './support/every-page.ts';
import { makePageWorld, type PageWorld, type Role } from './support/page-world.ts';
import { startService, type Service } from './support/service.ts';

const german = /<html lang="de"/;

describe('a refused form in another language', () => {
  let service: Service;
  let world: PageWorld;
  before(async () => {
    service = await startService({ worker: true });
    world = await makePageWorld(service);
  });
  after(() => service[Symbol.asyncDispose]());

  const openBrowser = async (role?: Role) => {
    const html = { api: service.api.with({ accept: 'text/html' }) };
    return role ? logInBrowser(html, world.people[role]) : new Browser(html.api);
  };

  /** Sends the form at the foot of a page, beside which the settings have another one. */
  const choose = (browser: Browser, page: Answer, language: string) => {
    const [foot] = /<footer.*<\/footer>/s.exec(String(page.body))!;
    return browser.submit({ ...page, body: foot }, { language }, '/language');
  };
  const inGerman = (browser: Browser, page: Answer) => choose(browser, page, 'de');

  it('keeps what was typed, and acts once it is sent', async () => {
    const browser = await openBrowser();
    const path = `/p/${world.petition}`;
    const typed = {
      display_name: 'Grace "Amazing" Hopper',
      email: 'grace@nowhere',
      is_anonymous: 'on',
    };
    const page = await browser.open(`${path}?ref=abc&utm_source=letter`);
    const refused = await browser.submit(page, typed, `${path}/sign`);
    assert.equal(refused.status, 422);
    const again = await inGerman(browser, refused);
    assert.equal(again.status, 422);
    assert.match(again.body, german);
    assert.match(again.body, /id="email-wrong">[^<]*E-Mail-Adresse/);
    assert.match(again.body, /name="is_anonymous" value="on" checked/);
    const { fields } = formOf(again, `${path}/sign`);
    assert.deepEqual([fields.display_name, fields.email], [typed.display_name, typed.email]);
    assert.deepEqual([fields.ref, fields.source], ['abc', 'letter']);
    const back = await choose(browser, again, 'fr');
    assert.match(back.body, /<html lang="fr"/);
    assert.equal(formOf(back, `${path}/sign`).fields.display_name, typed.display_name);
    const sent = await browser.submit(back, { email: 'grace@example.org' }, `${path}/sign`);
    assert.equal(sent.status, 200);
    assert.match(sent.body, /name="code"/);
  });

  it('is shown on every page that refuses one, with its status and its fields', async () => {
    const refusing = Object.values(allPages(world))
      .flat()
      .filter(({ path, send, status = 200 }) => send && status >= 400 && !isWithoutFoot(path));
    assert.ok(refusing.length > 20);
    const browsers = new Map<Role | undefined, Browser>();
    for (const state of refusing) {
      const browser = browsers.get(state.as) ?? (await openBrowser(state.as));
      browsers.set(state.as, browser);
      await switched(browser, state);
    }
  });

  const switched = async (browser: Browser, { path, outcome, send, status }: PageState) => {
    const { to, fields } = send!;
    const refused = await browser.submit(await browser.open(path, outcome), fields, to);
    assert.equal(refused.status, status, path);
    const again = await inGerman(browser, refused);
    assert.equal(again.status, status, `${path}, in German`);
    assert.match(again.body, german);
    const typedIn = (page: Answer) => {
      const { action, fields: sent } = formOf(page, to);
      const typed = Object.entries(sent).filter(([name]) => !name.startsWith('_'));
      return [action, typed];
    };
    // The page of an expired link has no form.
    if (status !== 410) assert.deepEqual(typedIn(again), typedIn(refused), path);
    await choose(browser, again, 'en');
  };

  /** Pages for holders of a link, and of OAuth, have no language form. */
  const isWithoutFoot = (path: string) => /^\/(?:respond|oauth)\//.test(path);

  it('never carries passwords', async () => {
    const browser = await openBrowser();
    const password = 'a password that is wrong';
    const login = await browser.open('/login');
    const refused = await browser.submit(login, { email: 'a@example.org', password }, '/login');
    assert.equal(refused.status, 401);
    const again = await inGerman(browser, refused);
    assert.equal(again.status, 401);
    for (const { body } of [refused, again]) assert.ok(!String(body).includes(password));
    assert.equal(formOf(again, '/login').fields.email, 'a@example.org');
  });

  it('does not act, and names no problem that the service did not find', async () => {
    const browser = await openBrowser();
    const path = `/p/${world.petition}`;
    const valid = { display_name: 'Ada', email: 'ada-signer@example.org' };
    const refused = await browser.submit(
      await browser.open(path),
      { email: 'none' },
      `${path}/sign`,
    );
    const { _refused: sealed = '' } = formOf(refused, '/language').fields;
    assert.ok(sealed.includes('"none"'));
    const countPending = async () =>
      (await service.ctx.db`select from pending_signatures where email = ${valid.email}`).length;
    for (const changed of [sealed.replace('none', 'more'), '', '.', '{}', 'x.{}']) {
      const answer = await browser.send(`${path}/sign`, { ...valid, _refused: changed });
      assert.equal(answer.status, 400, changed);
    }
    const shown = await browser.send(`${path}/sign`, { ...valid, _refused: sealed });
    assert.equal(shown.status, 422);
    assert.equal(await countPending(), 0);
  });

  it('leads to the page above it where the form cannot be shown', async () => {
    const browser = await openBrowser();
    const path = `/p/${world.petition}`;
    const page = await browser.open(`${path}/sign`);
    assert.equal(page.status, 200);
    assert.ok(String(page.body).includes(`action="${path}/sign"`));
  });
});
