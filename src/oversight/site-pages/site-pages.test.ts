import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { logInAsAdmin, signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('pages of the site', () => {
  let service: Service;
  let other: Service;
  let admin: Person;
  let user: Person;
  before(async () => {
    service = await startService();
    other = await startService({ beside: service });
    admin = await logInAsAdmin(service);
    user = await signUp(service, 'User');
  });
  after(async () => {
    await other[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  const pathOf = (page: string, language = 'en') => `/v1/admin/site/pages/${page}/${language}`;
  const put = async (page: string, language: string, title: string, body: string) => {
    const { status, body: answer } = await admin.api.put(pathOf(page, language), { title, body });
    assert.equal(status, 200, JSON.stringify(answer));
    return answer.data;
  };
  const show = async (path: string, language = 'en', from = service) => {
    const headers = { accept: 'text/html', 'accept-language': language };
    const { status, body } = await from.api.get(path, { headers });
    return { status, body: String(body) };
  };

  it('are for administrators', async () => {
    for (const [api, status] of [
      [service.api, 401],
      [user.api, 403],
    ] as const) {
      const text = { title: 'Mine', body: 'Mine' };
      assert.equal((await api.get(pathOf('about'))).status, status);
      assert.equal((await api.put(pathOf('about'), text)).status, status);
      assert.equal((await api.delete(pathOf('about'))).status, status);
    }
  });

  it('have the text of the software at first, in each language', async () => {
    for (const language of ['en', 'de', 'fr', 'es', 'ar']) {
      const { status, body } = await admin.api.get(pathOf('accessibility', language));
      assert.equal(status, 200);
      assert.equal(body.data.version, null);
      assert.equal(body.data.updated_at, null);
      assert.match(body.data.body, /WCAG 2.2/);
    }
    assert.equal((await admin.api.get(pathOf('imprint'))).status, 404);
    assert.equal((await admin.api.get(pathOf('terms'))).status, 404);
    assert.equal((await admin.api.delete(pathOf('about'))).status, 404);
  });

  it('count versions, of what differs', async () => {
    const first = await put('about', 'en', ' About us ', 'We are *here*.');
    assert.deepEqual(
      [first.page, first.language, first.title, first.body, first.version],
      ['about', 'en', 'About us', 'We are *here*.', 1],
    );
    assert.ok(Date.parse(first.updated_at) > 0);
    assert.equal((await put('about', 'en', 'About us', 'We are *here*.')).version, 1);
    assert.equal((await put('about', 'en', 'About us', 'We moved.')).version, 2);
    assert.equal((await put('about', 'de', 'Über uns', 'Wir.')).version, 1);
    assert.equal((await admin.api.get(pathOf('about'))).body.data.body, 'We moved.');
    const { body } = await admin.api.get('/v1/admin/audit-logs?action=site.page_write');
    assert.deepEqual(body.data[0].details, { page: 'about', language: 'de', version: 1 });
  });

  it('reach every process, and go back to the text of the software', async () => {
    await put('terms', 'en', 'Terms', 'Be kind.');
    await eventually(async () => (await show('/terms', 'en', other)).body.includes('Be kind.'));
    assert.equal((await admin.api.delete(pathOf('terms'))).status, 204);
    assert.equal((await show('/terms')).status, 404);
    await eventually(async () => (await show('/terms', 'en', other)).status === 404);
    assert.equal((await admin.api.delete(pathOf('terms'))).status, 404);
    assert.equal((await put('terms', 'en', 'Terms', 'Be kind.')).version, 3);
    await admin.api.delete(pathOf('terms'));
  });

  it('refuse what is no page, language or text', async () => {
    const text = { title: 'A', body: 'B' };
    assert.equal((await admin.api.put(pathOf('jobs'), text)).status, 404);
    assert.equal((await admin.api.put(pathOf('about', 'xx'), text)).status, 404);
    const { status, body } = await admin.api.put(pathOf('about'), { title: ' ', body: '' });
    assert.equal(status, 422);
    assert.deepEqual(body.errors.map(({ field }: { field: string }) => field).toSorted(), [
      'body',
      'title',
    ]);
  });
});
