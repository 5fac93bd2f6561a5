import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { languages } from '../src/platform/pages/language.ts';
import type { Answer } from './support/client.ts';
import { createPublished, signUp, type Person } from './support/people.ts';
import { startService, type Service } from './support/service.ts';

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

describe('failures, where a browser asks for a page', () => {
  let service: Service;
  let creator: Person;
  let path: string;
  before(async () => {
    service = await startService();
    creator = await signUp(service, 'Creator');
    path = `/p/${(await createPublished(creator)).slug}`;
  });
  after(() => service[Symbol.asyncDispose]());

  const ask = (method: string, url: string, headers: Record<string, string> = {}) =>
    service.api.send(method, url, undefined, { headers: { ...browser, ...headers } });

  const isPage = ({ status, headers, body }: Answer, expected: number, title: string) => {
    assert.deepEqual(
      [status, headers.get('content-type')],
      [expected, 'text/html; charset=utf-8'],
      body,
    );
    assert.ok(body.includes(`<h1>${title}</h1>`), body);
    assert.match(body, /<footer class="site">/);
    assert.match(headers.get('vary')!, /Accept-Language/);
  };

  it('are pages for wrong tokens', async () => {
    for (const url of ['/unsubscribe/x', '/mail/stop/x', '/errors/nothing']) {
      isPage(await ask('GET', url), 404, 'This page is not here');
    }
    isPage(await ask('POST', '/unsubscribe/x'), 404, 'This page is not here');
    isPage(await ask('POST', '/mail/stop/x/undo'), 404, 'This page is not here');
  });

  it('are pages for malformed and unknown addresses', async () => {
    for (const url of ['/p/%E0%A4%A', '/%', '/petitions/%zz?q=1']) {
      isPage(await ask('GET', url), 400, 'This did not work');
    }
    isPage(await ask('GET', `/p/${'x'.repeat(600)}`), 404, 'This page is not here');
    isPage(await ask('GET', '/nowhere'), 404, 'This page is not here');
    isPage(await ask('POST', '/nowhere'), 404, 'This page is not here');
  });

  it('are pages for wrong methods, with Allow', async () => {
    const cases: [method: string, url: string, allow: string][] = [
      ['DELETE', path, 'GET, HEAD, OPTIONS'],
      ['POST', '/petitions', 'GET, HEAD, OPTIONS'],
      ['PUT', `${path}/sign`, 'POST, OPTIONS'],
      ['GET', '/logout', 'POST, OPTIONS'],
      ['GET', '/language', 'POST, OPTIONS'],
    ];
    for (const [method, url, allow] of cases) {
      const answer = await ask(method, url);
      isPage(answer, 405, 'This did not work');
      assert.equal(answer.headers.get('allow'), allow);
    }
  });

  it('are in the language of the reader', async () => {
    const texts = new Set<string>();
    for (const language of languages) {
      const { body } = await ask('DELETE', path, { 'accept-language': language });
      assert.ok(body.includes(`<html lang="${language}"`));
      texts.add(/role="alert">([^<]*)</.exec(body)![1]!);
    }
    assert.equal(texts.size, languages.length);
  });

  it('are problem documents for the API, and for those who prefer JSON', async () => {
    const cases = [
      ['GET', '/v1/nothing', 404],
      ['GET', '/v1/petitions/%E0%A4%A', 400],
      ['DELETE', '/v1/petitions', 405],
      ['GET', '/v1', 404],
      ['GET', '/oauth/nothing', 404],
      ['GET', '/oauth/login', 405],
      ['POST', '/health', 405],
      ['GET', '/health/nothing', 404],
    ] as const;
    for (const [method, url, status] of cases) {
      const { headers, ...answer } = await ask(method, url);
      assert.equal(answer.status, status, url);
      assert.match(headers.get('content-type')!, /^application\/problem\+json/, url);
    }
    const accept = 'application/json, text/html;q=0.5';
    for (const url of ['/unsubscribe/x', '/p/%E0%A4%A', '/nowhere', '/logout']) {
      const { headers } = await ask('GET', url, { accept });
      assert.match(headers.get('content-type')!, /^application\/problem\+json/, url);
    }
  });
});

describe('addresses of forms', () => {
  it('lead to the page above them when they are opened', async () => {
    await using service = await startService();
    const html = service.api.with(browser);
    const cases = {
      '/p/a-slug/sign': '/p/a-slug',
      '/p/a-slug/sign?ref=a': '/p/a-slug?ref=a',
      '/p/%2F%2Fevil.example/withdraw': '/p/%2F%2Fevil.example',
      '/verify-email/resend': '/verify-email',
      '/settings/phone/code': '/settings',
      '/dashboard/keys/7/rotate': '/dashboard/keys/7',
      '/mail/stop/a-token/undo': '/mail/stop/a-token',
    };
    for (const [path, page] of Object.entries(cases)) {
      const { status, headers } = await html.get(path);
      assert.deepEqual([path, status, headers.get('location')], [path, 303, page]);
      assert.equal((await service.api.get(path)).status, 405);
    }
  });
});
