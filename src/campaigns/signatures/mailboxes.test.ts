import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from '../../../test/support/client.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { waitingForLocks } from '../../../test/support/locks.ts';
import {
  createPublished,
  createUsers,
  logIn,
  logInAsAdmin,
  signUp,
  type Person,
  type TestUser,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { undo } from '../../../test/support/signing.ts';
import { assertVerified } from '../../../test/support/verify.ts';
import { fillMailboxes } from '../../identity/accounts/accounts.ts';
import { newId } from '../../platform/ids.ts';
import { addJob } from '../../platform/jobs.ts';

describe('a mailbox', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService({ worker: true });
    creator = await signUp(service, 'Creator');
  });
  after(async () => {
    await assertVerified(service.databaseUrl);
    await service[Symbol.asyncDispose]();
  });

  const password = 'correct horse';
  let mailboxes = 0;
  const newMailbox = () => `ada.${++mailboxes}`;

  /** Registers an account with this address. */
  const register = async (email: string, { verified = false } = {}): Promise<Person> => {
    const input = { email, password, display_name: 'Ada' };
    const { status, body } = await service.api.post('/v1/auth/register', input);
    assert.equal(status, 201, JSON.stringify(body));
    const { id, slug } = body.data;
    if (verified) await verify(id);
    return logIn(service, { email, password, id, slug });
  };
  const verify = (id: string) =>
    service.ctx.db`update users set email_verified_at = now() where id = ${id}`;
  const erase = async (person: Person) =>
    assert.equal((await person.api.delete('/v1/users/me', { password })).status, 204);

  const pathOf = ({ id }: { id: string }) => `/v1/petitions/${id}/signatures`;
  const sign = (person: Person, petition: { id: string }) => person.api.post(pathOf(petition));
  const withdraw = (person: Person, petition: { id: string }) =>
    person.api.delete(`${pathOf(petition)}/me`);
  const countOf = async ({ id }: { id: string }) =>
    (await service.api.get(`/v1/petitions/${id}`)).body.data.signature_count;
  const eventsOf = async ({ id }: { id: string }) =>
    (
      await service.ctx.db`
        select type, data from events
        where petition_id = ${id} and type like 'signature.%' and type <> 'signature.milestone'
        order by transaction, position`
    ).map(({ type, data }) => [type, data.signature_id, data.signature_count]);

  /** Invalidates all signatures of a petition. */
  const invalidate = async ({ id }: { id: string }) => {
    const admin = await logInAsAdmin(service);
    const path = `/v1/admin/petitions/${id}/invalidations`;
    const input = { rule: { from: '2020-01-01T00:00:00Z' }, reason: 'Forged' };
    const { status, body } = await admin.api.post(path, input);
    assert.equal(status, 202);
    await eventually(
      async () => (await admin.api.get(`${path}/${body.data.id}`)).body.data.state === 'applied',
    );
    return body.data as { id: string; petition_id: string };
  };

  it('has one signature on a petition, whatever address of it an account has', async () => {
    const petition = await createPublished(creator);
    const mailbox = newMailbox();
    const first = await register(`${mailbox}@gmail.com`, { verified: true });
    const signed = await sign(first, petition);
    assert.equal(signed.status, 201);
    assert.equal(signed.body.data.state, 'counted');
    for (const address of [
      `${mailbox}+other@gmail.com`,
      `${mailbox.replace('.', '')}@googlemail.com`,
    ]) {
      const { status, body } = await sign(await register(address, { verified: true }), petition);
      assert.equal(status, 409);
      assert.equal(body.code, 'duplicate_signature');
    }
    assert.equal(await countOf(petition), 1);
    // Hashes of different petitions cannot be joined.
    const second = await createPublished(creator);
    await sign(first, second);
    const hashes = await service.ctx.db.column<Buffer>`
      select mailbox from signatures where user_id = ${first.id}`;
    assert.equal(hashes.length, 2);
    assert.notDeepEqual(hashes[0], hashes[1]);
  });

  it('signs once if its addresses sign at the same time', async () => {
    const petition = await createPublished(creator);
    const mailbox = newMailbox();
    const people = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        register(`${mailbox}+${n}@example.org`, { verified: true }),
      ),
    );
    const answers = await Promise.all(people.map((person) => sign(person, petition)));
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [201, 409, 409, 409, 409, 409],
    );
    assert.equal(await countOf(petition), 1);
  });

  it('does not sign from an unverified address that is not in canonical form', async () => {
    const petition = await createPublished(creator);
    const tagged = await register(`${newMailbox()}+tag@example.org`);
    const { status, body } = await sign(tagged, petition);
    assert.equal(status, 403);
    assert.equal(body.code, 'email_not_verified');
    await verify(tagged.id);
    assert.equal((await sign(tagged, petition)).status, 201);
  });

  it('takes the place of a signature that somebody else gave for it', async () => {
    const petition = await createPublished(creator);
    await sign(creator, petition);
    const mailbox = newMailbox();
    const stranger = await register(`${mailbox}@example.org`);
    const taken = (await sign(stranger, petition)).body.data;
    const owner = await register(`${mailbox}+mine@example.org`, { verified: true });
    const { status, body } = await sign(owner, petition);
    assert.equal(status, 201);
    assert.equal(body.data.signature_count, 2);
    assert.equal(body.data.state, 'counted');
    assert.equal(body.data.milestone_reached, false);
    assert.equal(await countOf(petition), 2);
    assert.deepEqual((await eventsOf(petition)).slice(-2), [
      ['signature.removed', taken.id, 2],
      ['signature.created', body.data.id, 2],
    ]);
    assert.equal((await sign(owner, petition)).status, 409);
    const another = await register(`${mailbox}+two@example.org`, { verified: true });
    assert.equal((await sign(another, petition)).status, 409);
    assert.equal((await withdraw(stranger, petition)).status, 404);
  });

  it('keeps its place once its address is proven', async () => {
    const petition = await createPublished(creator);
    const mailbox = newMailbox();
    const first = await register(`${mailbox}@example.org`);
    await sign(first, petition);
    await verify(first.id);
    const second = await register(`${mailbox}+two@example.org`, { verified: true });
    assert.equal((await sign(second, petition)).status, 409);
    await erase(first);
    assert.equal((await sign(second, petition)).status, 409);
    assert.equal(await countOf(petition), 1);
  });

  it('has signed after its account was erased, and can withdraw that signature', async () => {
    const petition = await createPublished(creator);
    const address = `${newMailbox()}@example.org`;
    for (let n = 0; n < 3; n += 1) {
      const person = await register(address, { verified: true });
      assert.equal((await sign(person, petition)).status, n === 0 ? 201 : 409);
      await erase(person);
    }
    assert.equal(await countOf(petition), 1);
    const unproven = await register(address);
    assert.equal((await withdraw(unproven, petition)).status, 404);
    await verify(unproven.id);
    assert.equal((await withdraw(unproven, petition)).status, 204);
    assert.equal(await countOf(petition), 0);
    assert.equal((await sign(unproven, petition)).status, 201);
    assert.equal(await countOf(petition), 1);
  });

  it('stays invalid if it withdraws, erases its account and signs again', async () => {
    const petition = await createPublished(creator);
    const mailbox = newMailbox();
    const first = await register(`${mailbox}@example.org`, { verified: true });
    await sign(first, petition);
    await invalidate(petition);
    assert.equal((await withdraw(first, petition)).status, 204);
    const events = (await eventsOf(petition)).length;
    await erase(first);
    const second = await register(`${mailbox}+b@example.org`, { verified: true });
    const { status, body } = await sign(second, petition);
    assert.equal(status, 201);
    assert.equal(body.data.state, 'invalid');
    assert.equal(body.data.signature_count, 0);
    assert.equal((await eventsOf(petition)).length, events);
  });

  it('takes the place of an invalid signature as an invalid one', async () => {
    const petition = await createPublished(creator);
    const mailbox = newMailbox();
    await sign(await register(`${mailbox}@example.org`), petition);
    await invalidate(petition);
    const owner = await register(`${mailbox}+a@example.org`, { verified: true });
    const { body } = await sign(owner, petition);
    assert.equal(body.data.state, 'invalid');
    assert.equal(await countOf(petition), 0);
    const [row] = await service.ctx.db`
      select invalid_signature_count as n from petitions where id = ${petition.id}`;
    assert.equal(row!.n, 1);
  });

  it('signs once with an account that an earlier version created meanwhile', async () => {
    const petition = await createPublished(creator);
    const mailbox = newMailbox();
    const late = await register(`${mailbox}@example.org`, { verified: true });
    const alias = await register(`${mailbox}+x@example.org`, { verified: true });
    await service.ctx.db`update users set mailbox = null where id = ${late.id}`;
    assert.equal((await sign(late, petition)).status, 201);
    assert.equal((await sign(alias, petition)).status, 409);
    assert.equal(await countOf(petition), 1);
  });

  it('signs once with accounts and signatures of before mailboxes were stored', async () => {
    const petition = await createPublished(creator);
    const db = service.ctx.pools.main;
    const [first, second] = [newId(), newId()];
    await db`
      insert into users (id, email, display_name, slug, email_verified_at)
      select id, id || '@example.org', 'Ada', id::text, now()
      from unnest(${[first, second]}::uuid[]) as new (id)`;
    const mailbox = newMailbox();
    for (const [n, id] of [first, second].entries()) {
      await db`update users set email = ${`${mailbox}+${n}@example.org`} where id = ${id}`;
      await db`
        insert into signatures (id, petition_id, user_id, version, is_anonymous)
        values (${newId()}, ${petition.id}, ${id}, 1, false)`;
    }
    await db`update petitions set signature_count = 2, sort_count = 2 where id = ${petition.id}`;
    await db`delete from backfills`;
    await using upgraded = await startService({ beside: service });
    const third = await register(`${mailbox}@example.org`, { verified: true });
    const answer = await upgraded.api.as(third.accessToken).post(pathOf(petition));
    assert.equal(answer.status, 409);
    const filled = await db.column<boolean>`
      select mailbox is not null from signatures where petition_id = ${petition.id} order by id`;
    assert.deepEqual(filled, [true, false], 'the oldest has the hash, the other counts without');
    assert.equal(await countOf(petition), 2);
    await db`delete from signatures where petition_id = ${petition.id}`;
    await db`update petitions set signature_count = 0 where id = ${petition.id}`;
  });

  /** Makes an account and its signatures those of an earlier version. */
  const unfill = async ({ id }: Person) => {
    const db = service.ctx.pools.main;
    await db`
      update users set mailbox = null, mail_domain = null, has_canonical_address = null,
        has_disposable_address = null
      where id = ${id}`;
    await db`
      update signatures set mailbox = null, mail_domain = null, is_disposable = null,
        is_proven = false
      where user_id = ${id}`;
  };

  it('withdraws an invalid signature of before mailboxes were stored', async () => {
    const petition = await createPublished(creator);
    const mailbox = newMailbox();
    const first = await register(`${mailbox}@example.org`, { verified: true });
    await sign(first, petition);
    await invalidate(petition);
    await unfill(first);
    assert.equal((await withdraw(first, petition)).status, 204);
    const alias = await register(`${mailbox}+a@example.org`, { verified: true });
    assert.equal((await sign(alias, petition)).body.data.state, 'invalid');
  });

  it('has signed after its account was erased before the signature was filled in', async () => {
    const petition = await createPublished(creator);
    const mailbox = newMailbox();
    const first = await register(`${mailbox}@example.org`, { verified: true });
    await sign(first, petition);
    await unfill(first);
    await erase(first);
    const second = await register(`${mailbox}@example.org`, { verified: true });
    assert.equal((await sign(second, petition)).status, 409);
    assert.equal(await countOf(petition), 1);
  });

  it('takes the place of an unproven signature with an account that lacks its mailbox', async () => {
    const petition = await createPublished(creator);
    const mailbox = newMailbox();
    await sign(await register(`${mailbox}@example.org`), petition);
    const late = await register(`${mailbox}+late@example.org`, { verified: true });
    await unfill(late);
    assert.equal((await sign(late, petition)).status, 201);
    assert.equal(await countOf(petition), 1);
  });

  it('is not stored for petitions whose hashes were forgotten', async () => {
    const petition = await createPublished(creator);
    const person = await register(`${newMailbox()}@example.org`, { verified: true });
    await sign(person, petition);
    const db = service.ctx.pools.main;
    await unfill(person);
    await creator.api.post(`/v1/petitions/${petition.id}/close`);
    await db`update petitions set origins_forgotten = true where id = ${petition.id}`;
    await db`delete from backfills`;
    await using worker = await startService({ beside: service, worker: true });
    await eventually(
      async () =>
        (await db.value<number>`
          select count(*)::integer from backfills where completed_at is not null`) === 2,
    );
    assert.equal(worker.databaseUrl, service.databaseUrl);
    const kept = await db.column<boolean>`
      select mailbox is not null or mail_domain is not null from signatures
      where petition_id = ${petition.id}`;
    assert.deepEqual(kept, [false]);
  });

  it('counts after it took the place of an invalid signature whose rule is undone', async () => {
    const petition = await createPublished(creator);
    const mailbox = newMailbox();
    await sign(await register(`${mailbox}@example.org`), petition);
    const rule = await invalidate(petition);
    const owner = await register(`${mailbox}+a@example.org`, { verified: true });
    assert.equal((await sign(owner, petition)).body.data.state, 'invalid');
    const admin = await logInAsAdmin(service);
    await undo(admin, rule);
    assert.equal(await countOf(petition), 1);
    await assertVerified(service.databaseUrl);
  });

  const readdress = async (
    users: TestUser[],
    { to, verified }: { to: (n: number) => string; verified: boolean },
  ) => {
    const db = service.ctx.pools.main;
    for (const [n, { id }] of users.entries()) {
      await db`
        update users set email = ${to(n)}, mailbox = null,
          email_verified_at = ${verified ? db`now()` : null}
        where id = ${id}`;
    }
    await fillMailboxes(
      db,
      service.ctx.keys,
      users.map(({ id }) => id),
    );
  };

  it('stores both events of a replacement in one place of the log', async () => {
    const { ctx } = service;
    const petition = await createPublished(creator);
    const [strangers, owners] = [await createUsers(service, 30), await createUsers(service, 30)];
    const addresses = strangers.map(() => newMailbox());
    await readdress(strangers, { to: (n) => `${addresses[n]}@example.org`, verified: false });
    await readdress(owners, { to: (n) => `${addresses[n]}+a@example.org`, verified: true });
    for (const stranger of strangers) {
      assert.equal((await stranger.api.post(pathOf(petition))).status, 201);
    }
    const ending = new AbortController();
    const writing = Promise.all(
      Array.from({ length: 6 }, async () => {
        while (!ending.signal.aborted) await ctx.pools.main`select pg_current_xact_id()`;
      }),
    );
    for (const owner of owners) {
      assert.equal((await owner.api.post(pathOf(petition))).status, 201);
    }
    ending.abort();
    await writing;
    const places = await ctx.db.column<number>`
      select count(distinct transaction)::integer from (
        select transaction, type,
          sum((type = 'signature.removed')::integer) over (order by transaction, position) as n
        from events
        where petition_id = ${petition.id} and type in ('signature.removed', 'signature.created')
      ) numbered
      where n > 0 group by n order by n`;
    assert.deepEqual(places, Array(30).fill(1));
  });

  it('fails alone if its replacement fails', async () => {
    const petition = await createPublished(creator);
    const mailbox = newMailbox();
    const [first, second] = (await createUsers(service, 2)) as [TestUser, TestUser];
    const stranger = await register(`${mailbox}@example.org`);
    const { id } = (await sign(stranger, petition)).body.data;
    const owner = await register(`${mailbox}+a@example.org`, { verified: true });
    const db = service.ctx.pools.main;
    await db.unsafe(`
      create function fail() returns trigger language plpgsql as $$ begin raise 'failed'; end $$;
      create trigger fail before delete on signatures for each row
        when (old.id = '${id}') execute function fail()`);
    const answers = await db.begin(async (tx) => {
      await tx`select from petitions where id = ${petition.id} for update`;
      // The others form the next group.
      const signing = [first.api.post(pathOf(petition))];
      await eventually(async () => (await waitingForLocks(db)) > 0);
      // Without a check of the answer, which is 500.
      const unchecked = new Client(service.origin).as(owner.accessToken);
      signing.push(unchecked.post(pathOf(petition)), second.api.post(pathOf(petition)));
      await Promise.all([owner.api.get('/v1/users/me'), second.api.get('/v1/users/me')]);
      return { signing };
    });
    const statuses = (await Promise.all(answers.signing)).map(({ status }) => status);
    assert.deepEqual(statuses, [201, 500, 201]);
    await db.unsafe('drop function fail() cascade');
  });
});

it('signs again while its rule is being undone, and counts', async () => {
  await using service = await startService();
  const creator = await signUp(service, 'Creator');
  const admin = await logInAsAdmin(service);
  const petition = await createPublished(creator);
  const [signer] = (await createUsers(service, 1)) as [TestUser];
  const path = `/v1/petitions/${petition.id}/signatures`;
  assert.equal((await signer.api.post(path)).status, 201);
  const rules = `/v1/admin/petitions/${petition.id}/invalidations`;
  let rule: { id: string; state: string };
  const reached = (state: string) =>
    eventually(
      async () => (await admin.api.get(`${rules}/${rule.id}`)).body.data.state === state,
      20_000,
    );
  {
    await using worker = await startService({ beside: service, worker: true });
    const input = { rule: { from: '2020-01-01T00:00:00Z' }, reason: 'Forged' };
    rule = (await worker.api.as(admin.accessToken).post(rules, input)).body.data;
    await reached('applied');
  }
  assert.equal((await signer.api.delete(`${path}/me`)).status, 204);
  assert.equal((await admin.api.post(`${rules}/${rule.id}/undo`)).status, 202);
  const db = service.ctx.pools.main;
  // A worker takes longer to start, and a job to begin, than a signature may wait.
  const held =
    await db`delete from graphile_worker._private_jobs where key = ${`invalidation:${rule.id}`}`;
  assert.equal(held.count, 1);
  await using worker = await startService({ beside: service, worker: true });
  const untilWaiting = (query: string) =>
    eventually(
      () => db.exists`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'
          and query like ${`%${query}%`} and pid <> pg_backend_pid()`,
      20_000,
    );
  const { signing } = await db.begin(async (petitions) => {
    const waiting = await db.begin(async (list) => {
      await list`lock table invalidations in access exclusive mode`;
      await addJob(worker.ctx.db, 'work-on-invalidation', { id: rule.id });
      await untilWaiting('from invalidations where id');
      await petitions`select from petitions where id = ${petition.id} for update`;
      const answer = signer.api.post(path);
      await untilWaiting('from petitions');
      return { answer };
    });
    // The job has looked for invalid signatures, and waits behind the signer.
    await untilWaiting('update signatures s set invalidated_by');
    return { signing: waiting.answer };
  });
  assert.equal((await signing).status, 201);
  await reached('undone');
  const [row] = await db`
    select signature_count, invalid_signature_count from petitions where id = ${petition.id}`;
  assert.deepEqual({ ...row }, { signature_count: 1, invalid_signature_count: 0 });
});
