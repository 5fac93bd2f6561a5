import assert from 'node:assert/strict';
import { mailboxKey } from '../../platform/mail-suppressions.ts';
import { describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { startMailServer } from '../../../test/support/mail-server.ts';
import { readMail } from '../../../test/support/mail.ts';
import { createPublished, signUp } from '../../../test/support/people.ts';
import { startService } from '../../../test/support/service.ts';
import { mailQuota } from '../../identity/accounts/accounts.ts';

describe('mails that confirm a signature', () => {
  let count = 0;
  const newAddress = () => `signer-${++count}@example.org`;

  it('are limited to five an hour per address, with or without an account', async () => {
    await using limited = await startService({ env: { RATE_LIMITS: 'on' } });
    const petition = await createPublished(await signUp(limited, 'Limited'));
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

  it('are limited to ten a day per address', async () => {
    await using limited = await startService({ env: { RATE_LIMITS: 'on' } });
    const petition = await createPublished(await signUp(limited, 'Limited'));
    const path = `/v1/petitions/${petition.id}/signatures/pending`;
    const email = newAddress();
    const { keys, limits } = limited.ctx;
    const resetHourlyLimit = () => limits.clear(mailQuota, `sign:${mailboxKey(keys, email)}`);
    for (let n = 1; n <= 10; n += 1) {
      const input = { display_name: 'Any', email };
      assert.equal((await limited.api.post(path, input)).status, 202);
      if (n % 5 === 0) await resetHourlyLimit();
    }
    const upper = { display_name: 'Any', email: email.toUpperCase() };
    const { status, headers } = await limited.api.post(path, upper);
    assert.equal(status, 429);
    assert.ok(Number(headers.get('retry-after')) > 3600);
  });

  it('are retried after a temporary SMTP error, not after a permanent one', async () => {
    await using server = await startMailServer();
    await using refused = await startService({ worker: true, env: { SMTP_URL: server.url } });
    const petition = await createPublished(await signUp(refused, 'Creator'));
    const path = `/v1/petitions/${petition.id}/signatures/pending`;
    await eventually(() => server.mails.length === 1);
    server.answer({ rcpt: ['550 5.1.1 no such mailbox', '451 4.3.0 not now'] });
    const jobs = async () =>
      (
        await refused.ctx.db`
        select from graphile_worker.jobs where task_identifier = 'send-signing-mail'`
      ).length;
    const [first, second] = [newAddress(), newAddress()];
    await refused.api.post(path, { display_name: 'Any', email: first });
    await eventually(async () => (await jobs()) === 0);
    await refused.api.post(path, { display_name: 'Any', email: second });
    await eventually(() => server.mails.length === 2, 15_000);
    assert.equal(readMail(server.mails[1]!).to, second);
  });
});
