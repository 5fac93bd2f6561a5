import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startService, type Service } from '../../../test/support/service.ts';

describe('an unknown path', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service[Symbol.asyncDispose]());

  const ask = (path: string, accept: string, language = 'en') =>
    service.api.get(path, { headers: { accept, 'accept-language': language } });
  const browsers = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

  it('has a page in the language of the request, with a link home', async () => {
    const { status, headers, body } = await ask('/no/such/page', browsers, 'de');
    assert.equal(status, 404);
    assert.match(headers.get('content-type')!, /^text\/html/);
    assert.match(body, /<html lang="de"/);
    assert.match(body, /<h1>Diese Seite gibt es nicht<\/h1>/);
    assert.match(body, /<a href="\/">Startseite<\/a>/);
  });

  it('is a problem document for programs and within the API', async () => {
    for (const [path, accept] of [
      ['/no/such/page', 'application/json'],
      ['/no/such/page', '*/*'],
      ['/v1/no-such-call', browsers],
    ]) {
      const { status, headers } = await ask(path!, accept!);
      assert.equal(status, 404);
      assert.match(headers.get('content-type')!, /^application\/problem\+json/);
    }
  });
});
