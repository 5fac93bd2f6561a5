import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { published, signUp } from '../../../test/support/people.ts';
import { startService } from '../../../test/support/service.ts';

describe('mails that confirm a signature', () => {
  let count = 0;
  const newAddress = () => `signer-${++count}@example.org`;

  it('are five an hour to one address, which says nothing of accounts', async () => {
    await using limited = await startService({ env: { RATE_LIMITS: 'on' } });
    const petition = await published(await signUp(limited, 'Limited'));
    const known = await signUp(limited, 'Known');
    const path = `/v1/petitions/${petition.id}/signatures/pending`;
    for (const email of [known.email, newAddress()]) {
      const statuses = [];
      for (let n = 0; n < 6; n += 1) {
        statuses.push((await limited.api.post(path, { display_name: 'Any', email })).status);
      }
      assert.deepEqual(statuses, [202, 202, 202, 202, 202, 429]);
    }
  });

  it('are ten a day to one address', async () => {
    await using limited = await startService({ env: { RATE_LIMITS: 'on' } });
    const petition = await published(await signUp(limited, 'Limited'));
    const path = `/v1/petitions/${petition.id}/signatures/pending`;
    const email = newAddress();
    const { keys, limits } = limited.ctx;
    const anHourLater = () =>
      limits.clear('mail-to-account', `sign:${keys.hash('login', email).toString('base64url')}`);
    for (let n = 1; n <= 10; n += 1) {
      const input = { display_name: 'Any', email };
      assert.equal((await limited.api.post(path, input)).status, 202);
      if (n % 5 === 0) await anHourLater();
    }
    const upper = { display_name: 'Any', email: email.toUpperCase() };
    const { status, headers } = await limited.api.post(path, upper);
    assert.equal(status, 429);
    assert.ok(Number(headers.get('retry-after')) > 3600);
  });
});
