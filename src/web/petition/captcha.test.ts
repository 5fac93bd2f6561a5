import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser } from '../../../test/support/browser.ts';
import { solvedToken } from '../../../test/support/captcha.ts';
import { createPublished, signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('signing with CAPTCHA=altcha', () => {
  let service: Service;
  let creator: Person;
  let count = 0;
  before(async () => {
    service = await startService({
      env: { CAPTCHA: 'altcha', RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' },
    });
    creator = await signUp(service, 'Creator');
  });
  after(() => service[Symbol.asyncDispose]());

  const browserAt = (ip: string, language = 'en') =>
    new Browser(service.api.with({ 'x-forwarded-for': ip, 'accept-language': language }));
  const sign = async (browser: Browser, slug: string, more: Record<string, string> = {}) =>
    browser.submit(
      await browser.open(`/p/${slug}`),
      { display_name: 'Grace', email: `reader-${++count}@example.org`, ...more },
      `/p/${slug}/sign`,
    );

  it('names the challenge and the worker to its script', async () => {
    const { slug } = await createPublished(creator);
    const { body } = await browserAt('192.0.2.1').open(`/p/${slug}`);
    assert.match(body, /src="\/assets\/captcha\.[\w-]+\.js"/);
    assert.match(body, /data-captcha="\/v1\/captcha\/challenge"/);
    const [, worker] = /data-worker="([^"]+)"/.exec(body)!;
    const script = await service.api.get(worker!);
    assert.equal(script.status, 200);
    assert.match(script.headers.get('content-type')!, /^text\/javascript/);
    assert.ok(script.body.length < 10_000, 'it is small');
  });

  it('accepts three forms an hour from one address without a solution, and more with one', async () => {
    const { slug } = await createPublished(creator);
    const browser = browserAt('192.0.2.2');
    for (let n = 1; n <= 3; n += 1) {
      assert.match((await sign(browser, slug)).body, /We have sent an email to/);
    }
    const refused = await sign(browser, slug, { comment: 'I walk there.' });
    assert.equal(refused.status, 422);
    assert.match(
      refused.body,
      /role="alert"[^>]* autofocus><h2>[^<]*<\/h2>\s*<p>[^<]*Switch JavaScript on, or try again in an hour/,
    );
    assert.match(refused.body, /I walk there\./);
    const recaptchaToken = await solvedToken(service);
    const solved = await sign(browser, slug, { recaptchaToken });
    assert.match(solved.body, /We have sent an email to/);
    assert.match((await sign(browserAt('192.0.2.3'), slug)).body, /We have sent an email to/);
  });

  it('rejects a used solution and explains it, also within the limit of forms without one', async () => {
    const { slug } = await createPublished(creator);
    const recaptchaToken = await solvedToken(service);
    await sign(browserAt('192.0.2.4'), slug, { recaptchaToken });
    const refused = await sign(browserAt('192.0.2.5', 'de'), slug, { recaptchaToken });
    assert.equal(refused.status, 422);
    assert.match(
      refused.body,
      /role="alert"[^>]*><h2>[^<]*<\/h2>\s*<p>[^<]*Drücken Sie noch einmal auf den Knopf/,
    );
  });

  it('treats users who are logged in in the same way', async () => {
    const browser = browserAt('192.0.2.6');
    const { email, password } = creator;
    await browser.submit(await browser.open('/login'), { email, password }, '/login');
    for (let n = 1; n <= 3; n += 1) {
      const { slug } = await createPublished(creator);
      assert.match((await sign(browser, slug)).body, /your signature counts!/);
    }
    const { slug } = await createPublished(creator);
    assert.equal((await sign(browser, slug)).status, 422);
    const recaptchaToken = await solvedToken(service);
    assert.match((await sign(browser, slug, { recaptchaToken })).body, /your signature counts!/);
  });
});

it('has no CAPTCHA with CAPTCHA=off', async () => {
  await using service = await startService();
  const { slug } = await createPublished(await signUp(service));
  const { body } = await service.api.get(`/p/${slug}`);
  assert.doesNotMatch(body, /captcha/);
});
