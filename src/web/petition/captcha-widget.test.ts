import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser } from '../../../test/support/browser.ts';
import {
  failing,
  startCaptchaService,
  type CaptchaStandIn,
} from '../../../test/support/captcha-service.ts';
import { createPublished, signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

const keys = { CAPTCHA_SECRET: 'a secret', CAPTCHA_SITE_KEY: 'key-of-pages' };

const policyWith = ({ style = '', script = '', connect = '', frame = '' }) =>
  `default-src 'none'; style-src 'self'${style}; script-src 'self'${script}; connect-src 'self'${connect}; ${
    frame && `frame-src${frame}; `
  }manifest-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;

const google = ' https://www.google.com/recaptcha/';
const hcaptcha = ' https://hcaptcha.com https://*.hcaptcha.com';
const cloudflare = ' https://challenges.cloudflare.com';
const ofGoogle = policyWith({
  script: `${google} https://www.gstatic.com/recaptcha/`,
  frame: `${google} https://recaptcha.google.com/recaptcha/`,
});

for (const { env, script, parameters, policy } of [
  {
    env: { CAPTCHA: 'recaptcha' },
    script: 'https://www.google.com/recaptcha/api.js?render=explicit&hl=de',
    parameters: { sitekey: 'key-of-pages' },
    policy: ofGoogle,
  },
  {
    env: { CAPTCHA: 'recaptcha', RECAPTCHA_VERSION: '3' },
    script: 'https://www.google.com/recaptcha/api.js?render=key-of-pages&hl=de',
    parameters: { sitekey: 'key-of-pages' },
    policy: ofGoogle,
  },
  {
    env: { CAPTCHA: 'hcaptcha' },
    script: 'https://js.hcaptcha.com/1/api.js?render=explicit&hl=de&recaptchacompat=off',
    parameters: { sitekey: 'key-of-pages' },
    policy: policyWith({
      style: hcaptcha,
      script: hcaptcha,
      connect: hcaptcha,
      frame: hcaptcha,
    }),
  },
  {
    env: { CAPTCHA: 'turnstile' },
    script: 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit',
    parameters: { sitekey: 'key-of-pages', language: 'de', 'response-field': false },
    policy: policyWith({ script: cloudflare, frame: cloudflare }),
  },
]) {
  it(`has the widget of ${Object.values(env).join(' ')}, which the policy of the page allows`, async () => {
    await using service = await startService({ env: { ...keys, ...env } });
    const creator = await signUp(service);
    const { slug } = await createPublished(creator);
    const closed = await createPublished(creator);
    await creator.api.post(`/v1/petitions/${closed.id}/close`);
    const api = service.api.with({ 'accept-language': 'de' });
    const { body, headers } = await api.get(`/p/${slug}`);
    assert.equal(headers.get('content-security-policy'), policy);
    assert.match(body, /src="\/assets\/captcha-widget\.[\w-]+\.js"/);
    const dataOf = (name: string) =>
      new RegExp(`data-${name}="([^"]*)"`)
        .exec(body)![1]!
        .replaceAll('&amp;', '&')
        .replaceAll('&quot;', '"');
    assert.equal(dataOf('script'), script);
    assert.deepEqual(JSON.parse(dataOf('parameters')), parameters);
    assert.equal(body.includes('data-scores'), env.RECAPTCHA_VERSION === '3');
    assert.doesNotMatch(body, /a secret/);
    // Only as data: the page connects to the service when the form is used.
    assert.equal(body.split('data-script').length, 2);
    assert.doesNotMatch(body, /<(?:script|link|iframe)[^>]*(?:google|hcaptcha\.com|cloudflare)/);
    for (const path of ['/', `/p/${closed.slug}`, `/p/${slug}/comments`]) {
      const other = await api.get(path);
      assert.equal(other.status, 200);
      assert.equal(other.headers.get('content-security-policy'), policyWith({}), path);
      assert.doesNotMatch(other.body, /captcha/);
    }
  });
}

describe('signing with a CAPTCHA service', () => {
  let standIn: CaptchaStandIn;
  let service: Service;
  let creator: Person;
  let count = 0;
  before(async () => {
    standIn = await startCaptchaService();
    service = await startService({
      env: { ...keys, CAPTCHA: 'hcaptcha', RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' },
      parts: standIn,
    });
    creator = await signUp(service, 'Creator');
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    await standIn[Symbol.asyncDispose]();
  });

  const browserAt = (ip: string, language = 'en') =>
    new Browser(service.api.with({ 'x-forwarded-for': ip, 'accept-language': language }));
  const good = () => `good-${++count}`;
  const sign = async (browser: Browser, slug: string, more: Record<string, string> = {}) =>
    browser.submit(
      await browser.open(`/p/${slug}`),
      { display_name: 'Grace', email: `reader-${++count}@example.org`, ...more },
      `/p/${slug}/sign`,
    );

  it('accepts a valid token, and explains a refused one', async () => {
    const { slug } = await createPublished(creator);
    const recaptchaToken = good();
    const passed = await sign(browserAt('192.0.2.1'), slug, { recaptchaToken });
    assert.match(passed.body, /We have sent an email to/);
    const comment = 'I walk there.';
    const refused = await sign(browserAt('192.0.2.2', 'de'), slug, { recaptchaToken, comment });
    assert.equal(refused.status, 422);
    assert.match(
      refused.body,
      /role="alert"[^>]*autofocus><h2>[^<]*<\/h2>\s*<p>[^<]*nicht bestanden oder ist zu alt/,
    );
    assert.match(refused.body, /I walk there\./);
    assert.match(refused.headers.get('content-security-policy')!, /hcaptcha\.com/);
  });

  it('accepts three forms an hour from one address without a token', async () => {
    const { slug } = await createPublished(creator);
    const browser = browserAt('192.0.2.3');
    const asked = standIn.asked.length;
    for (let n = 1; n <= 3; n += 1) {
      assert.match((await sign(browser, slug)).body, /We have sent an email to/);
    }
    const refused = await sign(browser, slug);
    assert.equal(refused.status, 422);
    assert.match(refused.body, /role="alert"[^>]*><h2>[^<]*<\/h2>\s*<p>[^<]*Switch JavaScript on/);
    assert.equal(standIn.asked.length, asked);
  });

  it('accepts as many while the service is unavailable, then refuses and keeps the input', async () => {
    const { slug } = await createPublished(creator);
    const browser = browserAt('192.0.2.4');
    standIn.setJudge(() => failing('internal-error'));
    for (let n = 1; n <= 3; n += 1) {
      const { body } = await sign(browser, slug, { recaptchaToken: good() });
      assert.match(body, /We have sent an email to/);
    }
    const comment = 'I walk there.';
    const away = await sign(browser, slug, { recaptchaToken: good(), comment });
    standIn.setJudge();
    assert.equal(away.status, 503);
    assert.equal(away.headers.get('retry-after'), '60');
    assert.match(
      away.body,
      /role="alert"[^>]*><h2>[^<]*<\/h2>\s*<p>[^<]*does not answer at the moment/,
    );
    assert.match(away.body, /I walk there\./);
    const back = await sign(browser, slug, { recaptchaToken: good() });
    assert.match(back.body, /We have sent an email to/);
  });

  it('treats users who are logged in in the same way', async () => {
    const browser = browserAt('192.0.2.5');
    const { email, password } = creator;
    await browser.submit(await browser.open('/login'), { email, password }, '/login');
    const { slug } = await createPublished(creator);
    const refused = await sign(browser, slug, { recaptchaToken: 'made up' });
    assert.equal(refused.status, 422);
    const passed = await sign(browser, slug, { recaptchaToken: good() });
    assert.match(passed.body, /your signature counts!/);
  });
});
