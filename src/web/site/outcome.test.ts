import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, formOf, logInBrowser } from '../../../test/support/browser.ts';
import {
  createPublished,
  signUp,
  verifyAddress,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('what a form has done', () => {
  let service: Service;
  let person: Person;
  before(async () => {
    service = await startService();
    person = await signUp(service, 'Ada');
    await verifyAddress(service, person);
  });
  after(() => service[Symbol.asyncDispose]());

  it('is reported once, to the browser that did it, and stands in no address', async () => {
    const { slug } = await createPublished(person);
    const browser = await logInBrowser(service, person);
    const page = await browser.open(`/p/${slug}`);
    const { action, fields } = formOf(page, `/p/${slug}/sign`);
    const { status, headers } = await service.api.send(
      'POST',
      action,
      new URLSearchParams(fields).toString(),
      {
        headers: {
          cookie: browser.cookies,
          origin: 'http://petitions.test',
          'content-type': 'application/x-www-form-urlencoded',
        },
      },
    );
    assert.equal(status, 303);
    assert.equal(headers.get('location'), `/p/${slug}`);
    const cookie = headers.getSetCookie().find((one) => one.startsWith('outcome='));
    assert.match(cookie!, /; Max-Age=60; Path=\/; HttpOnly; SameSite=Lax/);
    const [pair] = cookie!.split(';');
    const open = (path: string) =>
      service.api.get(path, { headers: { cookie: `${browser.cookies}; ${pair}` } });
    assert.doesNotMatch((await open('/settings')).body, /your signature counts/, 'another page');
    const shown = await open(`/p/${slug}`);
    assert.match(shown.body, /your signature counts!/);
    assert.equal(shown.headers.get('cache-control'), 'no-store');
    assert.match(shown.headers.getSetCookie().join(), /outcome=; Max-Age=0/);
    assert.doesNotMatch((await browser.open(`/p/${slug}`)).body, /your signature counts!/);
  });

  it('is not believed of an address', async () => {
    const { slug } = await createPublished(person);
    const stranger = new Browser(service.api);
    for (const done of ['signed', 'withdrawn', 'comment_sent', 'held']) {
      const { body } = await stranger.open(`/p/${slug}?done=${done}&number=7`);
      assert.doesNotMatch(body, /role="status">(?!<\/p>)(?!<\/span>)[A-Z]/);
      assert.match(body, new RegExp(`action="/p/${slug}/sign"`));
    }
    for (const path of ['/login?done=password_set', '/forgot-password?done=link_sent']) {
      assert.doesNotMatch((await stranger.open(path)).body, /class="notice"/, path);
    }
  });

  it('is nothing where the cookie was made up', async () => {
    for (const cookie of ['outcome=x', 'outcome=%', 'outcome=//evil.example/login%3Fdone%3Dx']) {
      const { status, body } = await service.api.get('/login', { headers: { cookie } });
      assert.equal(status, 200);
      assert.doesNotMatch(body, /class="notice"/);
    }
  });
});
