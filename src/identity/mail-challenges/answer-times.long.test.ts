import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, formOf, logInBrowser } from '../../../test/support/browser.ts';
import { createUserIds, signUpProven } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { hashPassword } from '../accounts/accounts.ts';

/** Calls with an address of each kind; fewer of those that hash a password. */
const calls = { cheap: 400, costly: 200 };
const kinds = ['proven', 'unproven', 'unknown'] as const;
type Kind = (typeof kinds)[number];
type Ask = (email: string) => Promise<{ status: number }>;

describe('the time of an answer', () => {
  let service: Service;
  /** A browser that knows an account, which is none of those that are asked for. */
  let knownBrowser: Browser;
  before(async () => {
    service = await startService();
    knownBrowser = await logInBrowser(service, await signUpProven(service));
    await knownBrowser.submit(await knownBrowser.open('/settings'), {}, '/logout');
  });
  after(() => service[Symbol.asyncDispose]());

  /** Returns new addresses of each kind. */
  async function addressesOf(howMany: number): Promise<Record<Kind, string[]>> {
    const ids = await createUserIds(service, 2 * howMany);
    const { main } = service.ctx.pools;
    await main`
      update users set password_hash = ${await hashPassword('correct horse')}
      where id = any(${ids}::uuid[])`;
    await main`
      update users set email_verified_at = null where id = any(${ids.slice(howMany)}::uuid[])`;
    const emails = ids.map((id) => `${id}@example.org`);
    return {
      proven: emails.slice(0, howMany),
      unproven: emails.slice(howMany),
      unknown: Array.from({ length: howMany }, () => `${crypto.randomUUID()}@example.org`),
    };
  }

  /**
   * Asserts that times do not tell kinds of addresses apart: how often one of a kind takes longer than one of another is about one half.
   * That share (of the rank-sum test of Mann and Whitney) has a standard deviation of 0.02 for 400 of each, of 0.03 for 200.
   */
  async function assertAlike(
    ask: Ask,
    howMany: number,
    compared: readonly Kind[] = kinds,
  ): Promise<void> {
    const addresses = await addressesOf(howMany);
    const times: Record<Kind, number[]> = { proven: [], unproven: [], unknown: [] };
    const statuses = new Set<number>();
    for (let n = 0; n < howMany; n += 1) {
      // In every order, since the first of some requests may find caches cold.
      const order = compared.map((_, at) => compared[(at + Math.floor(n / 2)) % compared.length]!);
      for (const kind of n % 2 === 0 ? order : order.toReversed()) {
        const start = performance.now();
        const { status } = await ask(addresses[kind][n]!);
        times[kind].push(performance.now() - start);
        statuses.add(status);
      }
    }
    assert.equal(statuses.size, 1, `answers: ${[...statuses].join(', ')}`);
    const pairs = compared.flatMap((one, at) =>
      compared.slice(at + 1).map((other): [Kind, Kind] => [one, other]),
    );
    for (const [one, other] of pairs) {
      const longer = times[one].flatMap((a) => times[other].map((b): number => (a > b ? 1 : 0)));
      const share = longer.reduce((sum, is) => sum + is, 0) / longer.length;
      const text = `one that is ${one} took longer than one that is ${other} in ${share} of pairs`;
      assert.ok(Math.abs(share - 0.5) < 0.1, text);
    }
  }

  /** Sends the form of a page, without opening the page again. */
  async function formAt(
    browser: Browser,
    path: string,
    action: string,
  ): Promise<(fields: Record<string, string>) => Promise<{ status: number }>> {
    const { fields } = formOf(await browser.open(path), action);
    const headers = {
      cookie: browser.cookies,
      origin: 'http://petitions.test',
      'content-type': 'application/x-www-form-urlencoded',
    };
    return (more) =>
      service.api.send('POST', action, new URLSearchParams({ ...fields, ...more }).toString(), {
        headers,
      });
  }

  const password = 'a wrong password';
  const browsers = {
    'on the page': () => new Browser(service.api),
    'on the page, in a browser that knows an account': () => knownBrowser,
  };

  it('tells no addresses apart for mails that sign in, by the API', () =>
    assertAlike((email) => service.api.post('/v1/auth/magic-link', { email }), calls.cheap));

  it('tells none apart for a forgotten password, by the API', () =>
    assertAlike((email) => service.api.post('/v1/auth/forgot-password', { email }), calls.cheap));

  it('tells none apart for a wrong password, by the API', () =>
    assertAlike((email) => service.api.post('/v1/auth/login', { email, password }), calls.costly));

  it('tells no proven address from an unproven one for registering by the API, which says that it is in use', () =>
    assertAlike(
      (email) => service.api.post('/v1/auth/register', { email, password, display_name: 'Any' }),
      calls.costly,
      ['proven', 'unproven'],
    ));

  it('tells none apart for registering on the page', async () => {
    const send = await formAt(new Browser(service.api), '/register', '/register');
    await assertAlike((email) => send({ email, password, display_name: 'Any' }), calls.costly);
  });

  for (const [where, browserFor] of Object.entries(browsers)) {
    it(`tells none apart for mails that sign in, ${where}`, async () => {
      const send = await formAt(browserFor(), '/login', '/login/mail');
      await assertAlike((email) => send({ email }), calls.cheap);
    });

    it(`tells none apart for a forgotten password, ${where}`, async () => {
      const send = await formAt(browserFor(), '/forgot-password', '/forgot-password');
      await assertAlike((email) => send({ email }), calls.cheap);
    });

    it(`tells none apart for a wrong password, ${where}`, async () => {
      const send = await formAt(browserFor(), '/login', '/login');
      await assertAlike((email) => send({ email, password }), calls.costly);
    });
  }
});
