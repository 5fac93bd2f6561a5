import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { canonicalAddress } from '../../platform/mail-addresses.ts';

const cases = {
  'Ada@Example.org': 'ada@example.org',
  'ada+petitions@example.org': 'ada@example.org',
  'ada+a+b@example.org': 'ada@example.org',
  '+ada@example.org': '+ada@example.org',
  'a.da@example.org': 'a.da@example.org',
  'A.d.a+x@GMail.com': 'ada@gmail.com',
  'ada@googlemail.com': 'ada@gmail.com',
  '..@gmail.com': '..@gmail.com',
};

it('the canonical form of an address is what all addresses of its mailbox have in common', () => {
  for (const [email, address] of Object.entries(cases))
    assert.equal(canonicalAddress(email).address, address);
  assert.equal(canonicalAddress('ada@bücher.example').address, 'ada@xn--bcher-kva.example');
});

it('the database finds the same form, for accounts that are not filled in', async () => {
  await using service = await startService();
  for (const [email, address] of Object.entries(cases)) {
    const found = await service.ctx.db.value`select canonical_address(${email})`;
    assert.equal(found, address);
  }
});
