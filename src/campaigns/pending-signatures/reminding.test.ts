import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { mailsTo } from '../../../test/support/decision-makers.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { startMailServer } from '../../../test/support/mail-server.ts';
import {
  createPublished,
  signUp,
  verifyAddress,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { stopToken } from '../../platform/mail-suppressions.ts';
import { remindUnconfirmed, sendSigningReminder } from './reminding.ts';

const reminder = 'Your signature is not counted yet';

describe('reminders of signatures by mail', () => {
  let service: Service;
  let creator: Person;
  let count = 0;
  before(async () => {
    service = await startService({ worker: true });
    creator = await signUp(service, 'Creator');
  });
  after(() => service[Symbol.asyncDispose]());

  const newAddress = () => `signer-${++count}@example.org`;
  const sign = async ({ id }: { id: string }, email: string): Promise<string> => {
    const path = `/v1/petitions/${id}/signatures/pending`;
    const { status, body } = await service.api.post(path, { display_name: 'Any', email });
    assert.equal(status, 202, JSON.stringify(body));
    return body.data.id;
  };
  const passDay = (ids: string[]) =>
    service.ctx.db`update pending_signatures set expires_at = now() where id = any(${ids}::uuid[])`;
  const remindersTo = async (email: string) =>
    (await mailsTo(service, email)).filter(({ subject }) => subject === reminder);
  const jobsEnded = () =>
    eventually(
      async () =>
        !(await service.ctx.db.exists`
          select from graphile_worker.jobs where task_identifier = 'send-signing-reminder'`),
      20_000,
    );
  const countsOf = async ({ id }: { id: string }) =>
    (await creator.api.get(`/v1/petitions/${id}/analytics`)).body.data.signing_by_mail;

  it('are mailed once, after a day, with a link that works for another', async () => {
    const petition = await createPublished(creator);
    const email = newAddress();
    const ids = [await sign(petition, email), await sign(petition, email)];
    await eventually(async () => (await countsOf(petition)).mailed === 2, 20_000);
    await remindUnconfirmed(service.ctx);
    await passDay(ids);
    await Promise.all([remindUnconfirmed(service.ctx), remindUnconfirmed(service.ctx)]);
    await eventually(async () => (await remindersTo(email)).length > 0, 20_000);
    const [mail] = await remindersTo(email);
    assert.ok(mail!.text.includes(petition.title));
    assert.match(mail!.text, /\/mail\/stop\//);
    await passDay(ids);
    await remindUnconfirmed(service.ctx);
    await sendSigningReminder(service.ctx, ids[1]!);
    await jobsEnded();
    assert.equal((await remindersTo(email)).length, 1);
    await service.ctx.db`
      update pending_signatures set expires_at = now() + interval '1 hour' where id = ${ids[1]!}`;
    const token = /confirm\?token=([\w-]+)/.exec(mail!.text)![1];
    assert.equal((await service.api.post('/v1/signatures/confirm', { token })).status, 201);
    assert.deepEqual(await countsOf(petition), { asked: 2, mailed: 2, confirmed: 1 });
  });

  it('are mailed for the newer of two forms, though the older one was looked at before', async () => {
    const petition = await createPublished(creator);
    const email = newAddress();
    const [older, newer] = [await sign(petition, email), await sign(petition, email)];
    // Reminding skips a row while the job of its first mail has it locked.
    await eventually(async () => (await countsOf(petition)).mailed === 2, 20_000);
    await passDay([older]);
    await remindUnconfirmed(service.ctx);
    await jobsEnded();
    assert.deepEqual(await remindersTo(email), []);
    await passDay([newer]);
    // It skips a row that a job has locked in that moment.
    await eventually(async () => {
      await remindUnconfirmed(service.ctx);
      return (await remindersTo(email)).length > 0;
    }, 20_000);
    await passDay([await sign(petition, email)]);
    await remindUnconfirmed(service.ctx);
    await jobsEnded();
    assert.equal((await remindersTo(email)).length, 1);
  });

  it('are not mailed for what was confirmed or signed otherwise, or where mail was ended', async () => {
    const petition = await createPublished(creator);
    const [confirmed, ended, closed] = [newAddress(), newAddress(), newAddress()];
    const member = await signUp(service, 'Member');
    await verifyAddress(service, member);
    const ids = [];
    for (const email of [confirmed, ended, member.email]) ids.push(await sign(petition, email));
    await eventually(async () => (await mailsTo(service, confirmed)).length > 0, 20_000);
    const [first] = await mailsTo(service, confirmed);
    const token = /confirm\?token=([\w-]+)/.exec(first!.text)![1];
    assert.equal((await service.api.post('/v1/signatures/confirm', { token })).status, 201);
    assert.equal((await member.api.post(`/v1/petitions/${petition.id}/signatures`)).status, 201);
    const other = await createPublished(creator);
    ids.push(await sign(other, closed));
    await creator.api.post(`/v1/petitions/${other.id}/close`);
    await passDay(ids);
    const stop = `/mail/stop/${stopToken(service.ctx.keys, ended)}`;
    assert.equal((await service.api.post(stop)).status, 200);
    await remindUnconfirmed(service.ctx);
    await jobsEnded();
    for (const email of [confirmed, member.email, ended, closed]) {
      assert.deepEqual(await remindersTo(email), [], email);
    }
  });

  it('are tried again if the mail server does not take them', async () => {
    await using server = await startMailServer();
    await using other = await startService({ worker: true, env: { SMTP_URL: server.url } });
    const owner = await signUp(other, 'Owner');
    const petition = await createPublished(owner);
    const email = newAddress();
    const path = `/v1/petitions/${petition.id}/signatures/pending`;
    const { body } = await other.api.post(path, { display_name: 'Any', email });
    const sent = () => server.envelopes.filter(({ to }) => to === email).length;
    await eventually(() => sent() === 1, 20_000);
    await other.ctx.db`update pending_signatures set expires_at = now()`;
    server.answerTo(email, '451 4.3.0 not now');
    await remindUnconfirmed(other.ctx);
    const { db } = other.ctx;
    await eventually(
      () => db.exists`
        select from graphile_worker.jobs
        where task_identifier = 'send-signing-reminder' and last_error like '%not now%'`,
      20_000,
    );
    server.answerTo(email, undefined);
    await db`
      update graphile_worker._private_jobs set run_at = now()
      where last_error like '%not now%'`;
    await eventually(() => sent() === 2, 30_000);
    assert.equal(
      await other.ctx.db.exists`
        select from pending_signatures
        where id = ${body.data.id} and reminder_sent_at is not null`,
      true,
    );
  });
});
