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
    await browser.submit(await browser.open('/login'), { email, password }, '/login');
    return browser;
  };
  const isLoggedIn = (page: { body: string }) => page.body.includes('action="/logout"');
  /** Opens a page with the cookie. Returns whether it is logged in, and the cookie afterwards. */
  const openWith = async (cookie: string) => {
    const page = await service.api.get('/', { headers: { cookie } });
    const [given] = page.headers.getSetCookie();
    return { isIn: isLoggedIn(page), cookie: given?.split(';')[0] ?? cookie };
  };
  /** Moves the time at which the cookie was set into the past. */
  const age = async ({ id }: Person, seconds: number) => {
    await service.ctx.db`
      update browser_sessions b set rotated_at = rotated_at - ${seconds} * interval '1 second'
      from sessions s where s.id = b.session_id and s.user_id = ${id}`;
  };

  it('stays ended: a copy of its cookie is never valid again', async () => {
    const person = await signUp(service);
    const browser = await loggedIn(person);
    const copy = browser.cookies;
    assert.equal((await openWith(copy)).isIn, true);
    await browser.submit(await browser.open('/'), {}, '/logout');
    // Revocations are deleted two hours later.
    await service.ctx.db`update withdrawn_credentials set expires_at = now() - interval '1 second'`;
    service.advanceClock(2 * 3_600_000);
    await service.app.sessions.revocations.refresh();
    assert.equal((await openWith(copy)).isIn, false);
  });

  it('lasts while it is used, and ends a month later', async () => {
    const [used, left] = [await signUp(service), await signUp(service)];
    const [browser, other] = [await loggedIn(used), await loggedIn(left)];
    await service.ctx.db`update sessions set created_at = now() - interval '40 days'`;
    await age(used, 20 * 86_400);
    await age(left, 32 * 86_400);
    await service.ctx.db`select graphile_worker.add_job('forget-expired-credentials')`;
    // Opening a page before that would count as use.
    await eventually(
      () =>
        service.ctx.db.exists`
          select from sessions where user_id = ${left.id} and ended_at is not null
            and id in (select session_id from browser_sessions)`,
      15_000,
    );
    assert.equal(isLoggedIn(await other.open('/')), false);
    assert.equal(isLoggedIn(await browser.open('/')), true);
  });

  it('continues if the answer with the new cookie was lost', async () => {
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

  it('ends if an old cookie arrives after the new one was used', async () => {
    const person = await signUp(service);
    const { cookies: old } = await loggedIn(person);
    await age(person, 3600);
    const renewed = await openWith(old);
    assert.equal((await openWith(renewed.cookie)).isIn, true);
    // Concurrent requests with the old cookie are accepted.
    assert.equal((await openWith(old)).isIn, true);
    await age(person, 120);
    assert.equal((await openWith(old)).isIn, false);
    assert.equal((await openWith(renewed.cookie)).isIn, false);
  });
});
