import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { logInBrowser, type Browser } from '../../../test/support/browser.ts';
import { signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('pages for developers', () => {
  let service: Service;
  let developer: Person;
  let browser: Browser;
  let stranger: Browser;
  before(async () => {
    service = await startService();
    developer = await signUp(service, 'Developer');
    browser = await logInBrowser(service, developer);
    stranger = await logInBrowser(service, await signUp(service));
  });
  after(() => service[Symbol.asyncDispose]());

  const secretOn = (body: string) => /id="secret"[^>]*value="([^"]+)"/.exec(body)?.[1];

  it('shows the secret of a webhook once, and sends tests', async () => {
    const form = await browser.open('/dashboard/webhooks');
    assert.equal((await browser.submit(form, { url: 'https://example.org/' })).status, 422);
    const input = { url: 'https://example.org/hook', events: 'petition.victory' };
    const created = await browser.submit(form, input);
    assert.ok(secretOn(created.body));
    const [{ id }] = (await developer.api.get('/v1/webhooks')).body.data;
    const at = `/dashboard/webhooks/${id}`;
    const page = await browser.open(at);
    assert.equal(secretOn(page.body), undefined);
    assert.match(page.body, /value="petition\.victory" checked/);
    const sent = await browser.submit(page, {}, `${at}/test`);
    assert.match(sent.body, /webhook\.test/);
    const off = await browser.submit(page, {}, `${at}/switch-off`);
    assert.match(off.body, /Switch on/);
    assert.notEqual(secretOn((await browser.submit(off, {}, `${at}/rotate`)).body), undefined);
    assert.equal((await stranger.open(at)).status, 404);
    assert.match((await browser.submit(page, {}, `${at}/delete`)).body, /Deleted\./);
  });

  it('sends a delivery again', async () => {
    const { body } = await developer.api.post('/v1/webhooks', {
      url: 'https://example.org/again',
      events: ['petition.victory'],
    });
    const at = `/dashboard/webhooks/${body.data.id}`;
    await developer.api.post(`/v1/webhooks/${body.data.id}/test`);
    const page = await browser.open(at);
    const [, redeliverPath] = new RegExp(`action="(${at}/deliveries/[^"]+/redeliver)"`).exec(
      page.body,
    )!;
    assert.match((await browser.submit(page, {}, redeliverPath)).body, /It is on its way/);
    const { data } = (await developer.api.get(`/v1/webhooks/${body.data.id}/deliveries`)).body;
    assert.equal(data.length, 2);
  });

  it('shows a key once, and accepts it until it is deleted', async () => {
    const created = await browser.submit(await browser.open('/dashboard/keys'), {
      name: 'My <script>',
      scopes: 'read_write',
      expires_at: '2999-01-01',
    });
    const key = secretOn(created.body)!;
    assert.match(created.body, /My &lt;script&gt;/);
    assert.equal((await service.api.as(key).get('/v1/users/me')).status, 200);
    const [record] = (await developer.api.get('/v1/api-keys')).body.data;
    assert.deepEqual(record.scopes, ['read_write']);
    const at = `/dashboard/keys/${record.id}`;
    const page = await browser.open(at);
    assert.equal(secretOn(page.body), undefined);
    await browser.submit(page, { name: 'Renamed', scopes: 'read' }, at);
    assert.equal((await developer.api.get(`/v1/api-keys/${record.id}`)).body.data.name, 'Renamed');
    const rotated = await browser.submit(page, {}, `${at}/rotate`);
    assert.notEqual(secretOn(rotated.body), key);
    assert.equal((await stranger.open(at)).status, 404);
    assert.match((await browser.submit(page, {}, `${at}/delete`)).body, /Deleted\./);
    assert.equal((await developer.api.get(`/v1/api-keys/${record.id}`)).status, 404);
  });

  it('registers public and confidential applications', async () => {
    const form = await browser.open('/dashboard/applications');
    const refused = await browser.submit(form, {
      name: 'App',
      redirect_uris: 'javascript:alert(1)',
    });
    assert.equal(refused.status, 422);
    assert.match(refused.body, /id="redirect_uris"[^>]*aria-invalid="true"/);
    const redirect_uris = 'https://app.example/cb\r\nhttps://app.example/other';
    const created = await browser.submit(form, { name: 'App', redirect_uris });
    assert.ok(secretOn(created.body));
    const [client] = (await developer.api.get('/v1/oauth/clients')).body.data;
    assert.equal(client.redirect_uris.length, 2);
    const at = `/dashboard/applications/${client.id}`;
    const page = await browser.open(at);
    assert.equal(secretOn(page.body), undefined);
    assert.ok(secretOn((await browser.submit(page, {}, `${at}/rotate`)).body));
    assert.equal((await stranger.open(at)).status, 404);
    assert.match((await browser.submit(page, {}, `${at}/delete`)).body, /Deleted\./);
    const publicClient = {
      name: 'Public',
      redirect_uris: 'https://app.example/cb',
      confidential: '',
    };
    const { body } = await browser.submit(form, publicClient);
    assert.equal(secretOn(body), undefined);
    assert.match(body, /It has no secret/);
  });
});
