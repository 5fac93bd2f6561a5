import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser } from '../../../test/support/browser.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('the session of a browser', () => {
  let service: Service;
  before(async () => {
    service = await startService({ worker: true });
  });
  after(() => service[Symbol.asyncDispose]());

  const loggedIn = async ({ email, password }: Person) => {
    const browser = new Browser(service.api);
    await browser.submit(await browser.open('/login'), { email, password });
    return browser;
  };
  const isLoggedIn = (page: { body: string }) => page.body.includes('action="/logout"');
  /** Whether somebody is logged in who sends these cookies, and the cookies afterwards. */
  const openWith = async (cookie: string) => {
    const page = await service.api.get('/', { headers: { cookie } });
    const [given] = page.headers.getSetCookie();
    return { isIn: isLoggedIn(page), cookie: given?.split(';')[0] ?? cookie };
  };
  /** As if its cookie had been given out so long ago. */
  const age = async ({ id }: Person, seconds: number) => {
    await service.ctx.db`
      update browser_sessions b set rotated_at = rotated_at - ${seconds} * interval '1 second'
      from sessions s where s.id = b.session_id and s.user_id = ${id}`;
  };

  it('ends for good: a copy of its cookie opens nothing, however late', async () => {
    const person = await signUp(service);
    const browser = await loggedIn(person);
    const copy = browser.cookies;
    assert.equal((await openWith(copy)).isIn, true);
    await browser.submit(await browser.open('/'), {}, '/logout');
    // What access tokens need no longer, two hours later.
    await service.ctx.db`update withdrawn_credentials set expires_at = now() - interval '1 second'`;
    service.advance(2 * 3_600_000);
    await service.app.sessions.revocations.refresh();
    assert.equal((await openWith(copy)).isIn, false);
  });

  it('lasts while it is used, and is swept away a month after', async () => {
    const [used, left] = [await signUp(service), await signUp(service)];
    const [browser, other] = [await loggedIn(used), await loggedIn(left)];
    await service.ctx.db`update sessions set created_at = now() - interval '40 days'`;
    await age(used, 20 * 86_400);
    await age(left, 32 * 86_400);
    await service.ctx.db`select graphile_worker.add_job('forget-expired-credentials')`;
    // To open a page before it is swept away would be to use it.
    await eventually(async () => {
      const rows = await service.ctx.db`
        select from browser_sessions b join sessions s on s.id = b.session_id
        where s.user_id = ${left.id}`;
      return rows.length === 0;
    }, 15_000);
    assert.equal(isLoggedIn(await other.open('/')), false);
    assert.equal(isLoggedIn(await browser.open('/')), true);
  });

  it('goes on where the answer with the new cookie never came', async () => {
    const person = await signUp(service);
    const { cookies: old } = await loggedIn(person);
    await age(person, 3600);
    const lost = await openWith(old);
    assert.notEqual(lost.cookie, old);
    await age(person, 3600);
    const again = await openWith(old);
    assert.equal(again.isIn, true);
    assert.equal((await openWith(again.cookie)).isIn, true);
  });

  it('ends where an old cookie comes after the new one was used', async () => {
    const person = await signUp(service);
    const { cookies: old } = await loggedIn(person);
    await age(person, 3600);
    const renewed = await openWith(old);
    assert.equal((await openWith(renewed.cookie)).isIn, true);
    // Requests that were under way still count.
    assert.equal((await openWith(old)).isIn, true);
    await age(person, 120);
    assert.equal((await openWith(old)).isIn, false);
    assert.equal((await openWith(renewed.cookie)).isIn, false);
  });
});
