import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser } from '../../../test/support/browser.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { readMail } from '../../../test/support/mail.ts';
import {
  createDraft,
  createUsers,
  logInAsAdmin,
  signUp,
  type Person,
  type TestUser,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { emit, systemActor } from '../../platform/events.ts';
import { newId } from '../../platform/ids.ts';

interface Shown {
  id: string;
  type: string;
  title: string;
  data: Record<string, unknown>;
}

describe('notifications about what waits for moderators', () => {
  let service: Service;
  let admin: Person;
  before(async () => {
    service = await startService({ worker: true, env: { MODERATION: 'pre' } });
    admin = await logInAsAdmin(service);
  });
  after(() => service[Symbol.asyncDispose]());

  const people = <N extends number>(count: N) =>
    createUsers(service, count) as Promise<TestUser[] & { length: N }>;
  /** Makes these users, and nobody else, moderators. */
  const onlyModerators = async (users: TestUser[]) => {
    await service.ctx.db`update users set role = 'user' where role = 'moderator'`;
    await service.ctx.db`
      update users set role = 'moderator'
      where id = any(${users.map(({ id }) => id)}::uuid[])`;
    await service.app.sessions.revocations.refresh();
  };
  const newModerator = async (prefs: object = {}) => {
    const [moderator] = (await people(1)) as [TestUser];
    await onlyModerators([moderator]);
    const { status } = await moderator.api.patch('/v1/notifications/preferences', prefs);
    assert.equal(status, 200);
    return moderator;
  };
  const report = async (reporter: TestUser, target_id: string) => {
    const input = { target_type: 'user', target_id, reason: 'spam', description: 'Words of Rita' };
    const { status } = await reporter.api.post('/v1/reports', input);
    assert.equal(status, 201);
  };
  /** Reports somebody who was not reported before. */
  const reportAnyone = async () => {
    const [reporter, target] = await people(2);
    await report(reporter!, target!.id);
  };
  const queueOf = async (person: { api: TestUser['api'] }): Promise<Shown[]> => {
    const { body } = await person.api.get('/v1/notifications');
    return body.data.filter(({ type }: Shown) => type === 'moderation_queue');
  };
  const countOf = async (person: TestUser) => (await queueOf(person))[0]?.data.count ?? 0;
  /** Waits until all events so far have led to notifications. */
  const settled = async () => {
    const [last] = (await people(1)) as [TestUser];
    const data = { warning_id: newId(), user_id: last.id };
    await service.ctx.pools.main.begin((tx) =>
      emit(tx, { type: 'user.warned', petitionId: null, actor: systemActor, data }),
    );
    await eventually(async () => {
      const { body } = await last.api.get('/v1/notifications/unread-count');
      return body.data.unread_count === 1;
    }, 20_000);
  };
  const waitingMails = async ({ id }: TestUser): Promise<number> =>
    (await service.ctx.db`select from notification_mails where user_id = ${id}`).length;
  const mailsTo = async ({ email }: TestUser) =>
    (await service.mails()).map(readMail).filter(({ to }) => to === email);
  /** In how many minutes the next mail is due; null if none is. */
  const minutesToMail = async ({ id }: TestUser): Promise<number | null> => {
    const row = await service.ctx.db.first<{ minutes: number | null }>`
      select round(extract(epoch from mail_due_at - now()) / 60)::float8 as minutes
      from notification_inboxes where user_id = ${id}`;
    return row?.minutes ?? null;
  };
  /** Moves the due time of mails into the past, as if that time had passed. */
  const passTime = async (minutes: number) => {
    const span = service.ctx.db`${minutes} * interval '1 minute'`;
    await service.ctx.db`
      update notification_inboxes set mail_due_at = mail_due_at - ${span},
        mailed_at = mailed_at - ${span}`;
  };
  const addToOrganization = async ({ id: user_id }: TestUser) => {
    const org_id = newId();
    await service.ctx.db`
      insert into organizations (id, name, slug) values (${org_id}, ${org_id}, ${org_id})`;
    await service.ctx.pools.main.begin((tx) =>
      emit(tx, {
        type: 'organization.member_added',
        petitionId: null,
        actor: systemActor,
        data: { org_id, user_id },
      }),
    );
  };

  it('are sent to moderators and administrators, once for each target, and merged', async () => {
    const [first, second, suspended, user] = await people(4);
    await onlyModerators([first!, second!, suspended!]);
    await service.ctx.db`update users set suspended_at = now() where id = ${suspended!.id}`;
    const [reporter, another, target, other] = await people(4);
    await report(reporter!, target!.id);
    await report(another!, target!.id);
    await report(reporter!, target!.id);
    await settled();
    for (const person of [first!, second!, admin]) {
      const [shown, ...rest] = await queueOf(person);
      assert.deepEqual(rest, []);
      assert.equal(shown!.title, 'Something new waits for moderators');
      assert.deepEqual(shown!.data, { kind: 'report', count: 1 });
    }
    assert.deepEqual(await queueOf(user!), []);
    await report(another!, other!.id);
    await settled();
    const [merged] = await queueOf(first!);
    assert.equal(merged!.title, '2 new things wait for moderators');
    const names = JSON.stringify([
      await service.ctx.db`select * from notices where type = 'moderation_queue'`,
      await service.ctx.db`select * from events where type = 'moderation.queued'`,
    ]);
    for (const name of [reporter!.id, another!.id, target!.id, other!.id, 'Rita']) {
      assert.ok(!names.includes(name), name);
    }
    const [none] = await service.ctx.db`
      select count(*)::int as n from notifications where user_id = ${suspended!.id}`;
    assert.equal(none!.n, 0);
  });

  it('follow again when what was reported is reported after a decision', async () => {
    const moderator = await newModerator();
    const [reporter, another, target] = await people(3);
    await report(reporter!, target!.id);
    await settled();
    const { body } = await moderator.api.get('/v1/admin/reports?limit=100');
    const { id } = body.data.find((one: { target_id: string }) => one.target_id === target!.id);
    const path = `/v1/admin/reports/${id}/action`;
    assert.equal((await moderator.api.post(path, { action: 'dismiss' })).status, 200);
    await report(another!, target!.id);
    await settled();
    assert.equal(await countOf(moderator), 2);
  });

  it('are caused by reports without an account, once they are stored', async () => {
    const moderator = await newModerator();
    const [byMail, without] = [await signUp(service, 'One'), await signUp(service, 'Two')];
    const browser = new Browser(service.api);
    const send = async ({ slug }: Person, fields: Record<string, string>) =>
      browser.submit(await browser.open(`/u/${slug}/report`), fields);
    const email = `reader-${newId()}@example.org`;
    await send(byMail, { reason: 'spam', email });
    const find = async () =>
      (await service.mails()).map(readMail).find(({ to }) => to.toLowerCase() === email);
    await eventually(async () => (await find()) !== undefined);
    await settled();
    assert.equal(await countOf(moderator), 0);
    const [link] = /\/reports\/confirm\?token=[\w-]+/.exec((await find())!.text)!;
    await browser.submit(await browser.open(link), {});
    await settled();
    assert.equal(await countOf(moderator), 1);
    await send(without, { reason: 'child_abuse' });
    await settled();
    assert.equal(await countOf(moderator), 2);
  });

  it('are caused by complaints', async () => {
    const moderator = await newModerator();
    const person = await signUp(service);
    await service.ctx.db`update users set email_verified_at = now() where id = ${person.id}`;
    const suspension = { reason: 'Advertisement' };
    await admin.api.post(`/v1/admin/users/${person.id}/suspend`, suspension);
    const find = async () =>
      (await service.mails())
        .map(readMail)
        .find(({ to, text }) => to === person.email && text.includes('/complaints/'));
    await eventually(async () => (await find()) !== undefined, 20_000);
    const [link] = /\/complaints\/\S+/.exec((await find())!.text)!;
    const browser = new Browser(service.api);
    const text = 'It was no advertisement, but a call for help.';
    const page = await browser.open(link);
    const statuses = [];
    for (let n = 0; n < 2; n += 1) statuses.push((await browser.submit(page, { text })).status);
    assert.deepEqual(statuses, [200, 409]);
    await settled();
    const [shown] = await queueOf(moderator);
    assert.deepEqual(shown!.data, { kind: 'complaint', count: 1 });
  });

  it('are caused by petitions under review, unless a moderator put them there', async () => {
    const [moderator, creator] = await people(2);
    await onlyModerators([moderator!]);
    const { id } = await createDraft(creator!);
    await creator!.api.post(`/v1/petitions/${id}/publish`);
    await settled();
    const [shown] = await queueOf(moderator!);
    assert.deepEqual(shown!.data, { kind: 'petition', count: 1 });
    assert.deepEqual(await queueOf(creator!), []);
    assert.equal((await moderator!.api.post(`/v1/admin/petitions/${id}/approve`)).status, 200);
    const hide = { content: 'hide' };
    await admin.api.post(`/v1/admin/users/${creator!.id}/suspend`, hide);
    await settled();
    const [event] = await service.ctx.db`
      select count(*)::int as n from events
      where type = 'petition.under_review' and petition_id = ${id}`;
    assert.equal(event!.n, 2);
    assert.equal(await countOf(moderator!), 1);
  });

  for (const [prefs, minutes] of [
    [{}, 60],
    [{ queue_mail: 'hourly' }, 60],
    [{ queue_mail: 'daily' }, 1440],
  ] as const) {
    it(`are mailed ${JSON.stringify(prefs)} after ${minutes} minutes`, async () => {
      const moderator = await newModerator(prefs);
      await reportAnyone();
      await settled();
      assert.equal(await minutesToMail(moderator), minutes);
      await passTime(minutes - 10);
      await reportAnyone();
      await settled();
      assert.equal(await minutesToMail(moderator), 10, 'counts from the first');
      assert.deepEqual(await mailsTo(moderator), []);
      await passTime(11);
      await eventually(async () => (await mailsTo(moderator)).length === 1, 20_000);
      const [mail] = await mailsTo(moderator);
      assert.equal(mail!.subject, '2 new things wait for moderators');
      assert.match(mail!.text, /http:\/\/petitions\.test\/moderation\n/);
      await eventually(async () => (await waitingMails(moderator)) === 0);
      await eventually(async () => (await minutesToMail(moderator)) === null);
      await reportAnyone();
      await settled();
      assert.equal(await minutesToMail(moderator), minutes);
    });
  }

  it('are mailed at once, also twice within an hour', async () => {
    const moderator = await newModerator({ queue_mail: 'at_once' });
    for (const count of [1, 2]) {
      await reportAnyone();
      await eventually(async () => (await mailsTo(moderator)).length === count, 20_000);
    }
  });

  it('are mailed with what is mailed earlier, and delay nothing else', async () => {
    const moderator = await newModerator({ queue_mail: 'daily' });
    await reportAnyone();
    await settled();
    await addToOrganization(moderator);
    await settled();
    assert.equal(await minutesToMail(moderator), 2);
    await passTime(3);
    await eventually(async () => (await mailsTo(moderator)).length === 1, 20_000);
    const [mail] = await mailsTo(moderator);
    assert.match(mail!.text, /Something new waits for moderators/);
    await eventually(async () => (await waitingMails(moderator)) === 0);
    // Two mails that are not urgent are an hour apart, whatever waits.
    await reportAnyone();
    await settled();
    assert.equal(await minutesToMail(moderator), 1440);
    await addToOrganization(moderator);
    await settled();
    assert.equal(await minutesToMail(moderator), 60);
  });

  it('are not mailed if they are switched off, were read, or no longer concern the user', async () => {
    const off = await newModerator({ email: { moderation_queue: false } });
    await reportAnyone();
    await settled();
    assert.equal(await countOf(off), 1);
    assert.equal(await waitingMails(off), 0);

    const [reader, former] = await people(2);
    await onlyModerators([reader!, former!]);
    await reportAnyone();
    await reportAnyone();
    await settled();
    assert.equal(await waitingMails(reader!), 2);
    await reader!.api.post('/v1/notifications/mark-read', { mark_all: true });
    assert.equal(await waitingMails(reader!), 0);
    await onlyModerators([reader!]);
    await passTime(61);
    await eventually(async () => (await waitingMails(former!)) === 0, 20_000);
    for (const person of [off, reader!, former!]) assert.deepEqual(await mailsTo(person), []);
  });

  it('are mailed as was set last, whatever else is set', async () => {
    const moderator = await newModerator({ queue_mail: 'daily' });
    const path = '/v1/notifications/preferences';
    await moderator.api.patch(path, { email: { petition_comment: true } });
    const stored = async () => (await moderator.api.get(path)).body.data;
    assert.equal((await stored()).queue_mail, 'daily');
    await moderator.api.patch(path, { queue_mail: 'hourly' });
    assert.equal((await stored()).queue_mail, 'hourly');
    assert.equal((await stored()).email.petition_comment, true);
    for (const queue_mail of ['off', '', null, 1]) {
      const refused = await moderator.api.patch(path, { queue_mail });
      assert.equal(refused.status, 422);
      assert.equal(refused.body.errors[0].field, 'queue_mail');
    }
  });
});
