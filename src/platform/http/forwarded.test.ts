import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { forwardedAddresses } from './forwarded.ts';

describe('X-Forwarded-For', () => {
  const cases: [header: string, addresses: string[]][] = [
    ['203.0.113.7', ['203.0.113.7']],
    ['203.0.113.7:49152', ['203.0.113.7']],
    ['198.51.100.1:80, 203.0.113.7:_port', ['198.51.100.1', '203.0.113.7']],
    ['[2001:db8::7]:49152', ['2001:db8::7']],
    ['[2001:db8::7]', ['2001:db8::7']],
    ['2001:db8::7', ['2001:db8::7']],
    ['"[2001:db8::7]:4711"', ['2001:db8::7']],
    ['unknown', []],
    ['_hidden', []],
    ['', []],
    ['198.51.100.1, unknown, 203.0.113.7', ['203.0.113.7']],
    ['198.51.100.1, _hidden', []],
    ['localhost, 203.0.113.7', ['203.0.113.7']],
    ['198.51.100.1,, 203.0.113.7,', ['198.51.100.1', '203.0.113.7']],
    ['256.1.1.1:80, 203.0.113.7', ['203.0.113.7']],
  ];
  for (const [header, addresses] of cases) {
    it(`names ${addresses.join(' and ') || 'nobody'}: ${header || 'empty'}`, () => {
      assert.deepEqual(forwardedAddresses(header), addresses);
    });
  }

  it('counts all ports of an address, and entries without one, as one caller each', async () => {
    const start = new Date();
    await using service = await startService({
      env: { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' },
      // Buckets do not refill while the clock stands still.
      parts: { now: () => start },
    });
    const remaining = async (forwarded: string) => {
      const { headers } = await fetch(`${service.origin}/v1/categories`, {
        headers: { 'x-forwarded-for': forwarded },
      });
      return Number(headers.get('x-ratelimit-remaining'));
    };
    const alike = [
      ['203.0.113.7:1', '203.0.113.7:2', '198.51.100.1, 203.0.113.7', 'unknown, 203.0.113.7'],
      ['[2001:db8::7]:1', '[2001:db8::7]:2', '2001:db8::7', '"[2001:db8::7]"'],
      // The proxy itself.
      ['unknown', '_hidden', '_other', 'localhost'],
    ];
    for (const group of alike) {
      const counts: number[] = [];
      for (const forwarded of group) counts.push(await remaining(forwarded));
      assert.deepEqual(counts, [99, 98, 97, 96], group.join(' | '));
    }
  });
});
