import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { countInsertedSignatures } from '../support/given-signatures.ts';
import { createUsers, createPublished, type TestUser } from '../support/people.ts';
import { sharedSettings, startProcess } from '../support/process.ts';
import { startService, type Service } from '../support/service.ts';
import { assertVerified } from '../support/verify.ts';

const signers = 20_000;
/** Takes a minute; longer on a busy machine. */
const slowTest = { timeout: 180_000 };

/** Inserts users with verified addresses and their signatures. */
async function addSigners(service: Service, petitionId: string): Promise<void> {
  await service.ctx.pools.main`
    with signer as (
      insert into users (id, email, display_name, slug, email_verified_at)
      select gen_random_uuid(), n || '@signers.example', 'Signer', 'signer-' || n, now()
      from generate_series(1, ${signers}) n
      returning id
    )
    insert into signatures (id, petition_id, user_id, version, is_anonymous, created_at)
    select gen_random_uuid(), ${petitionId}, id, 1, false, now() - interval '1 day' from signer`;
  await countInsertedSignatures(service, petitionId);
}

/** Counts notified users, notifications, pending mails and unread notifications. */
async function countNotified({ ctx }: Service) {
  const [row] = await ctx.pools.main`
    select (select count(distinct user_id)::int from notifications) as people,
      (select count(*)::int from notifications) as notifications,
      (select count(*)::int from notification_mails) as mails,
      (select coalesce(sum(unread), 0)::int from notification_inboxes) as unread`;
  return { ...row } as Record<string, number>;
}

it('notifies each of 20,000 signers once, even if the worker is killed', slowTest, async () => {
  await using service = await startService();
  const [creator] = (await createUsers(service, 1)) as [TestUser];
  const petition = await createPublished(creator);
  await addSigners(service, petition.id);
  const env = { ...sharedSettings(service), ROLE: 'worker' };
  await using victim = await startProcess(env);
  const news = { title: 'News', body: 'There is some.' };
  const posted = await creator.api.post(`/v1/petitions/${petition.id}/updates`, news);
  assert.equal(posted.status, 201);
  const { db } = service.ctx;
  await eventually(
    async () => (await db`select from notifications offset 3000 limit 1`).length === 1,
    30_000,
  );
  assert.equal(await victim.end('SIGKILL'), 'SIGKILL');
  const { notifications = 0 } = await countNotified(service);
  assert.ok(notifications < signers, `${notifications} were notified before it was killed`);

  await using successor = await startProcess(env);
  await eventually(async () => (await db`select from notification_fan_outs`).length === 0, 90_000);
  assert.deepEqual(await countNotified(service), {
    people: signers,
    notifications: signers,
    mails: signers,
    unread: signers,
  });
  assert.equal(await successor.end('SIGTERM'), 0);
  await assertVerified(service.databaseUrl);
});
