import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, formOf } from '../../../test/support/browser.ts';
import { createUserIds } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

const pairs = 400;

describe('the time of an answer', () => {
  let service: Service;
  const pairsOfAddresses: { known: string; unknown: string }[] = [];
  before(async () => {
    service = await startService();
    for (const [n, id] of (await createUserIds(service, pairs)).entries()) {
      pairsOfAddresses.push({ known: `${id}@example.org`, unknown: `nobody-${n}@example.org` });
    }
  });
  after(() => service[Symbol.asyncDispose]());

  /**
   * Asserts that times do not tell known and unknown addresses apart: how often a known one takes longer is about one half.
   * That share (of the rank-sum test of Mann and Whitney) has a standard deviation of 0.02 for 400 of each.
   */
  async function assertAlike(ask: (email: string) => Promise<{ status: number }>): Promise<void> {
    const times: { known: number[]; unknown: number[] } = { known: [], unknown: [] };
    const measure = async (kind: 'known' | 'unknown', email: string) => {
      const start = performance.now();
      const { status } = await ask(email);
      times[kind].push(performance.now() - start);
      assert.ok(status < 400, `${status}`);
    };
    for (const [n, { known, unknown }] of pairsOfAddresses.entries()) {
      // In turn, since the first of two requests may find caches cold.
      if (n % 2 === 0) await measure('known', known);
      await measure('unknown', unknown);
      if (n % 2 === 1) await measure('known', known);
    }
    const longer = times.known.flatMap((one) =>
      times.unknown.map((other): number => (one > other ? 1 : 0)),
    );
    const share = longer.reduce((sum, one) => sum + one, 0) / longer.length;
    assert.ok(Math.abs(share - 0.5) < 0.1, `a known address took longer in ${share} of pairs`);
  }

  it('does not tell whether an address has an account, by the API', () =>
    assertAlike((email) => service.api.post('/v1/auth/magic-link', { email })));

  it('does not tell it on the page', async () => {
    const browser = new Browser(service.api);
    const { action, fields } = formOf(await browser.open('/login'), '/login/mail');
    await assertAlike((email) =>
      service.api.send('POST', action, new URLSearchParams({ ...fields, email }).toString(), {
        headers: {
          cookie: browser.cookies,
          origin: 'http://petitions.test',
          'content-type': 'application/x-www-form-urlencoded',
        },
      }),
    );
  });

  it('does not tell it for a forgotten password', () =>
    assertAlike((email) => service.api.post('/v1/auth/forgot-password', { email })));
});
