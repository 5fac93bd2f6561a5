import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import {
  logInAsAdmin,
  createTokens,
  createPublished,
  signUp,
} from '../../../test/support/people.ts';
import type { Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import {
  assertCounts,
  invalidateBy,
  phoneUserAgent,
  signFrom,
  undo,
} from '../../../test/support/signing.ts';
import { MailError } from '../../platform/mail-errors.ts';
import type { Mailer } from '../../platform/mail.ts';
import { notifyInvalidated } from './notifying.ts';

describe('integrity', () => {
  let service: Service;
  let creator: Person;
  let moderator: Person;
  before(async () => {
    service = await startService({ worker: true, env: { TRUST_PROXY: '127.0.0.1' } });
    creator = await signUp(service, 'Creator');
    moderator = await signUp(service, 'Moderator');
    await service.ctx.db`update users set role = 'moderator' where id = ${moderator.id}`;
    await service.app.sessions.revocations.refresh();
  });
  after(() => service[Symbol.asyncDispose]());

  const admin = (petition: { id: string }) => `/v1/admin/petitions/${petition.id}`;
  const report = async (petition: { id: string }) => {
    const { status, body } = await moderator.api.get(`${admin(petition)}/integrity`);
    assert.equal(status, 200);
    return body.data;
  };
  const countOf = async (petition: { id: string }) =>
    (await service.api.get(`/v1/petitions/${petition.id}`)).body.data.signature_count;
  const listOf = async (petition: { id: string }) =>
    (await service.api.get(`/v1/petitions/${petition.id}/signatures`)).body;

  /** Creates a petition with `honest` signers of different networks, then `farmed` ones of one network. */
  const signedBy = async (honest: number, farmed: number, fields: object = {}) => {
    const petition = await createPublished(creator, fields);
    const tokens = await createTokens(service, honest + farmed);
    for (const [n, token] of tokens.entries()) {
      const ip = n < honest ? `81.2.${n}.7` : `185.220.101.${n}`;
      assert.equal((await signFrom(service, token, petition, { ip })).status, 201);
    }
    return { petition, tokens };
  };
  /** Returns the rule that matches the largest network. */
  const farmRule = async (petition: { id: string }) => {
    const { networks } = await report(petition);
    return { network: networks[0].network };
  };

  it('reports networks, countries, mail domains and devices, but no address', async () => {
    const petition = await createPublished(creator);
    const tokens = [
      ...(await createTokens(service, 2, 'mailinator.com')),
      ...(await createTokens(service, 3)),
    ];
    const places = [
      { ip: '81.2.69.1' },
      { ip: '81.2.69.200', userAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Firefox/133.0' },
      { ip: '2a00:1450:4001:81::1', userAgent: 'curl/8.5.0' },
      { ip: '2a00:1450:4001:82::1', userAgent: 'Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X)' },
      { ip: '10.0.0.9', userAgent: '' },
    ];
    for (const [n, place] of places.entries()) {
      assert.equal((await signFrom(service, tokens[n]!, petition, place)).status, 201);
    }
    const found = await report(petition);
    assert.deepEqual(found.totals, { valid: 5, invalid: 0, imported: 0, held: 0 });
    assert.deepEqual(
      found.networks.map((one: { count: number }) => one.count),
      [2, 2, 1],
    );
    assert.deepEqual(
      found.mail_domains.map((one: Record<string, unknown>) => [
        one.domain,
        one.count,
        one.share,
        one.disposable,
      ]),
      [
        ['example.org', 3, 0.6, false],
        ['mailinator.com', 2, 0.4, true],
      ],
    );
    assert.deepEqual(found.countries.map((one: { country: string }) => one.country).toSorted(), [
      'GB',
      'IE',
    ]);
    assert.deepEqual(found.devices.map((one: { device: string }) => one.device).toSorted(), [
      'bot',
      'desktop',
      'phone',
      'tablet',
      'unknown',
    ]);
    const rows = await service.ctx.db`
      select s::text as row from signatures s where petition_id = ${petition.id}`;
    for (const { ip } of places) {
      assert.ok(!JSON.stringify([found, rows]).includes(ip), `${ip} is kept`);
    }
  });

  it('gives a network a different id on each petition', async () => {
    const [token] = await createTokens(service, 1);
    const networks = [];
    for (const petition of [await createPublished(creator), await createPublished(creator)]) {
      await signFrom(service, token!, petition, { ip: '81.2.69.1' });
      networks.push((await report(petition)).networks[0].network);
    }
    assert.notEqual(networks[0], networks[1]);
  });

  it('previews, applies and undoes a rule; invalid signatures are neither shown nor counted', async () => {
    const { petition, tokens } = await signedBy(3, 4);
    const farmed = service.api.as(tokens[3]!);
    const own = `/v1/petitions/${petition.id}/signatures`;
    const rule = await farmRule(petition);
    const preview = await moderator.api.post(`${admin(petition)}/invalidations/preview`, { rule });
    assert.equal(preview.status, 200);
    const { sample, ...figures } = preview.body.data;
    assert.deepEqual(figures, {
      matched: 4,
      share: 4 / 7,
      signature_count_after: 3,
      milestones: [],
    });
    assert.equal(sample.length, 4);
    assert.equal(await countOf(petition), 7);

    const applied = await invalidateBy(moderator, petition, rule);
    assert.deepEqual(
      [applied.state, applied.matched, applied.invalidated, applied.rule, applied.created_by],
      ['applied', 4, 4, rule, moderator.id],
    );
    await assertCounts(service, petition.id);
    assert.equal(await countOf(petition), 3);
    const list = await listOf(petition);
    assert.equal(list.data.length, 3);
    assert.equal(list.pagination.total_count, 3);
    assert.deepEqual((await report(petition)).totals, {
      valid: 3,
      invalid: 4,
      imported: 0,
      held: 0,
    });
    const { slug } = (await farmed.get('/v1/me')).body.data;
    assert.deepEqual((await service.api.get(`/v1/users/${slug}/signatures`)).body.data, []);

    const exported = (await farmed.get('/v1/users/me/export')).body.signatures[0];
    assert.deepEqual([exported.state, exported.device], ['invalid', 'phone']);
    const again = await signFrom(service, tokens[3]!, petition, { ip: '81.2.99.1' });
    assert.equal(again.body.code, 'duplicate_signature');

    // Withdrawing an invalid signature and signing again, twice, changes no count.
    for (const host of [1, 2]) {
      assert.equal((await farmed.delete(`${own}/me`)).status, 204);
      assert.equal(await countOf(petition), 3);
      const repeated = await signFrom(service, tokens[3]!, petition, { ip: `81.2.99.${host}` });
      assert.deepEqual(
        [repeated.status, repeated.body.data.signature_count, repeated.body.data.milestone_reached],
        [201, 3, false],
      );
    }
    assert.equal((await listOf(petition)).data.length, 3);
    assert.deepEqual((await report(petition)).totals, {
      valid: 3,
      invalid: 4,
      imported: 0,
      held: 0,
    });
    await assertCounts(service, petition.id);
    // Another one is withdrawn, and given again after the rule was undone.
    assert.equal((await service.api.as(tokens[4]!).delete(`${own}/me`)).status, 204);

    const undone = await undo(moderator, applied);
    assert.deepEqual(
      [undone.state, undone.restored, undone.undone_by],
      ['undone', 3, moderator.id],
    );
    assert.equal(await countOf(petition), 6);
    const late = await signFrom(service, tokens[4]!, petition, { ip: '81.2.99.3' });
    assert.equal(late.body.data.signature_count, 7);
    await assertCounts(service, petition.id);
    const signingEvents = await service.ctx.db`
      select count(*)::integer as n from events
      where petition_id = ${petition.id} and type in ('signature.created', 'signature.removed')`;
    assert.equal(signingEvents[0]!.n, 7 + 1);
    const [trend] = await service.ctx.db`
      select abs(trend - (select ln(sum(2 ^ (extract(epoch from created_at)::float8 / 86400 - 20000)))
        / ln(2) + 20000 from signatures where petition_id = p.id)) < 1e-6 as exact
      from petitions p where id = ${petition.id}`;
    assert.ok(trend!.exact, 'the trend agrees with the signatures');
    const events = await service.ctx.db`
      select type, data from events
      where petition_id = ${petition.id} and type in ('signature.invalidated', 'signature.restored')
      order by transaction, position`;
    assert.deepEqual(
      events.map(({ type, data }) => [type, data.signature_count, data.rule_id, data.ended]),
      [
        ['signature.invalidated', 3, applied.id, true],
        ['signature.restored', 6, applied.id, true],
      ],
    );
    const acts = await service.ctx.db`
      select l.action, l.actor_id, r.user_id as about from audit_log l
      join audit_reasons r on r.act_id = l.id
      where l.target_id = ${petition.id} order by l.id`;
    assert.deepEqual(
      acts.map(({ action, actor_id, about }) => [action, actor_id, about]),
      [
        // The reason is about the creator and is erased with their account.
        ['signatures.invalidate', moderator.id, creator.id],
        ['signatures.restore', moderator.id, creator.id],
      ],
    );
  });

  it('matches by time, country, mail domain and disposable domains', async () => {
    const petition = await createPublished(creator);
    const domains = ['Post.Example', 'mailinator.com', 'example.org', 'example.org'];
    for (const [n, domain] of domains.entries()) {
      const [token] = await createTokens(service, 1, domain);
      await signFrom(service, token!, petition, { ip: `81.2.${n}.7` });
    }
    await service.ctx.db`
      with own as (select id, row_number() over (order by id) as n from signatures
        where petition_id = ${petition.id})
      update signatures s set created_at = '2026-01-01T00:00:00Z'::timestamptz + own.n * interval '1 hour',
        country = case own.n when 4 then 'FR' else 'GB' end
      from own where s.id = own.id and s.petition_id = ${petition.id}`;
    const matched = async (rule: object) => {
      const path = `${admin(petition)}/invalidations/preview`;
      const { status, body } = await moderator.api.post(path, { rule });
      assert.equal(status, 200, JSON.stringify(body));
      return body.data.matched;
    };
    assert.equal(await matched({ domain: 'post.example' }), 1);
    assert.equal(await matched({ disposable: true }), 1);
    assert.equal(await matched({ disposable: true, domain: 'example.org' }), 0);
    assert.equal(await matched({ country: 'GB' }), 3);
    assert.equal(await matched({ from: '2026-01-01T02:00:00Z' }), 3);
    assert.equal(await matched({ until: '2026-01-01T03:00:00+01:00' }), 1);
    assert.equal(await matched({ country: 'GB', from: '2026-01-01T02:00:00Z' }), 2);
    assert.equal(await matched({ network: '0000000000' }), 0);
    for (const rule of [
      {},
      { disposable: false },
      { country: 'ZZ' },
      { network: 'xyz' },
      { from: 'yesterday' },
      { from: '0000-01-01T00:00:00Z' },
      { from: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' },
    ]) {
      const path = `${admin(petition)}/invalidations`;
      const { status, body } = await moderator.api.post(path, { rule, reason: 'Why' });
      assert.equal(status, 422, JSON.stringify(rule));
      assert.ok(body.errors[0].field.startsWith('rule'));
    }
  });

  it('hands signatures over to another rule that matches them, in any order of undoing', async () => {
    const { petition } = await signedBy(2, 4);
    const byNetwork = await farmRule(petition);
    const first = await invalidateBy(moderator, petition, byNetwork);
    const [fourth] = await service.ctx.db<{ at: Date }[]>`
      select max(created_at) as at from (select created_at from signatures
        where petition_id = ${petition.id} order by id limit 4) s`;
    // Matches two honest signatures and two that are invalid already.
    const rule = { until: new Date(fourth!.at.getTime() + 1).toISOString() };
    const second = await invalidateBy(moderator, petition, rule);
    assert.deepEqual([second.matched, second.invalidated], [2, 2]);
    assert.equal(await countOf(petition), 0);

    const undone = await undo(moderator, first);
    assert.equal(undone.restored, 4);
    assert.equal(await countOf(petition), 2);
    const path = `${admin(petition)}/invalidations`;
    const list = (await moderator.api.get(path)).body.data;
    assert.deepEqual(
      list.map((one: Record<string, unknown>) => [one.id, one.state, one.invalidated]),
      [
        [second.id, 'applied', 4],
        [first.id, 'undone', 4],
      ],
    );
    await undo(moderator, second);
    assert.equal(await countOf(petition), 6);
    await assertCounts(service, petition.id);

    const third = await invalidateBy(moderator, petition, byNetwork);
    const last = await invalidateBy(moderator, petition, rule);
    await undo(moderator, last);
    assert.equal(await countOf(petition), 2);
    await undo(moderator, third);
    assert.equal(await countOf(petition), 6);
    await assertCounts(service, petition.id);
  });

  it('voids milestones, which can be reached again and are restored', async () => {
    const { petition } = await signedBy(2, 2, { signatureGoal: 4 });
    const milestones = async () => {
      const rows = await service.ctx.db`
        select threshold, signature_id from milestones where petition_id = ${petition.id}`;
      return rows.map(({ threshold, signature_id }) => ({ threshold, signature_id }));
    };
    const [first] = await milestones();
    assert.equal(first!.threshold, 4);
    const rule = await farmRule(petition);
    const preview = await moderator.api.post(`${admin(petition)}/invalidations/preview`, { rule });
    assert.deepEqual(preview.body.data.milestones, [4]);
    const applied = await invalidateBy(moderator, petition, rule);
    assert.deepEqual(await milestones(), []);
    await undo(moderator, applied);
    assert.deepEqual(await milestones(), [first]);

    const standing = await invalidateBy(moderator, petition, rule);
    const tokens = await createTokens(service, 2);
    const answers = [];
    for (const [n, token] of tokens.entries()) {
      answers.push(await signFrom(service, token, petition, { ip: `81.3.${n}.1` }));
    }
    assert.deepEqual(
      answers.map(({ body }) => [body.data.signature_count, body.data.milestone_reached]),
      [
        [3, false],
        [4, true],
      ],
    );
    await undo(moderator, standing);
    assert.deepEqual(await milestones(), [
      { threshold: 4, signature_id: answers[1]!.body.data.id },
    ]);
  });

  it('notifies verified signers by mail after an hour, if the rule still stands', async () => {
    const { petition } = await signedBy(0, 3);
    await service.ctx.db`
      update users set email_verified_at = null where id = (
        select user_id from signatures where petition_id = ${petition.id} order by id limit 1)`;
    const waiting = service.ctx.db`
      select j.id from graphile_worker._private_jobs j
      join invalidations i on j.key = 'tell-invalidated:' || i.id
      where i.petition_id = ${petition.id}`;
    /** Makes the waiting jobs due. */
    const skipDelay = () => service.ctx.db`
      update graphile_worker._private_jobs set run_at = now() where id in (${waiting})`;
    const sentMails = async () =>
      (await service.mails()).filter((mail) => mail.includes('Your signature is not counted'));
    const wrong = await invalidateBy(moderator, petition, { country: 'US' });
    await undo(moderator, wrong);
    const rule = await farmRule(petition);
    await undo(moderator, await invalidateBy(moderator, petition, rule));
    const applied = await invalidateBy(moderator, petition, rule);
    assert.deepEqual(await sentMails(), []);
    assert.equal((await service.ctx.db`${waiting}`).length, 3);
    await skipDelay();
    await eventually(async () => (await service.ctx.db`${waiting}`).length === 0, 15_000);
    assert.equal((await sentMails()).length, 2);
    assert.ok((await sentMails())[0]!.includes(petition.title));
    await undo(moderator, applied);
  });

  it('notifies signers after many rejected addresses, and retries if the mail server is down', async () => {
    const { petition } = await signedBy(0, 22);
    const { id } = await invalidateBy(moderator, petition, await farmRule(petition));
    const notifyWith = async (send: (nth: number) => void) => {
      const recipients: string[] = [];
      let count = 0;
      const mail: Mailer = {
        async send({ to }) {
          send(++count);
          recipients.push(to);
          return '250 ok';
        },
        close: () => {},
      };
      await notifyInvalidated({ ...service.ctx, mail }, id);
      return recipients;
    };
    const unreachable = () => {
      throw new MailError({ code: 'ECONNECTION' }, 'ada@example.org');
    };
    await assert.rejects(notifyWith(unreachable), MailError);
    // The first batch has twenty mails.
    const refused = (nth: number) => {
      const failure = { code: 'EENVELOPE', command: 'RCPT TO', responseCode: 550 };
      if (nth <= 20) throw new MailError(failure, 'ada@example.org');
    };
    assert.equal((await notifyWith(refused)).length, 2);
    assert.deepEqual(await notifyWith(() => {}), []);
  });

  it('is allowed for moderators only, one rule at a time', async () => {
    const { petition, tokens } = await signedBy(1, 1);
    const path = `${admin(petition)}/invalidations`;
    const input = { rule: { country: 'GB' }, reason: 'Why' };
    for (const [api, status] of [
      [service.api, 401],
      [service.api.as(tokens[0]!), 403],
      [creator.api, 403],
    ] as const) {
      assert.equal((await api.get(`${admin(petition)}/integrity`)).status, status);
      assert.equal((await api.post(`${path}/preview`, input)).status, status);
      assert.equal((await api.post(path, input)).status, status);
    }
    const blank = await moderator.api.post(path, { ...input, reason: ' ' });
    assert.equal(blank.status, 422);
    const answers = await Promise.all([1, 2, 3].map(() => moderator.api.post(path, input)));
    assert.ok(answers.every(({ status }) => status === 202 || status === 409));
    const { id } = answers.find(({ status }) => status === 202)!.body.data;
    assert.ok([202, 409].includes((await moderator.api.post(`${path}/${id}/undo`)).status));
    await eventually(async () => {
      const { body } = await moderator.api.get(path);
      return body.data.every(({ state }: { state: string }) =>
        ['applied', 'undone'].includes(state),
      );
    }, 15_000);
    await Promise.all([1, 2].map(() => moderator.api.post(`${path}/${id}/undo`)));
    const undone = await moderator.api.post(`${path}/${id}/undo`);
    assert.equal(undone.body.code, 'invalid_state');
    const elsewhere = await createPublished(creator);
    assert.equal((await moderator.api.get(`${admin(elsewhere)}/invalidations/${id}`)).status, 404);
    await eventually(async () => (await countOf(petition)) === 2, 15_000);
    await assertCounts(service, petition.id);
  });

  it('erases signer, device and reasons with an account, and keeps signatures invalid', async () => {
    const signer = await signUp(service, 'Signer');
    const petition = await createPublished(signer);
    await signFrom(service, signer.accessToken, petition, {
      ip: '81.2.69.1',
      userAgent: phoneUserAgent,
    });
    const applied = await invalidateBy(moderator, petition, {
      network: (await farmRule(petition)).network,
    });
    assert.equal(
      (await signer.api.delete('/v1/users/me', { password: signer.password })).status,
      204,
    );
    const [row] = await service.ctx.db`
      select user_id, device, origin is not null as has_origin, state from signatures
      where petition_id = ${petition.id}`;
    assert.deepEqual(
      { ...row },
      {
        user_id: null,
        device: null,
        has_origin: true,
        state: 'invalid',
      },
    );
    // The reason about the creator is erased too.
    const { reason, ...undone } = await undo(moderator, applied);
    assert.equal(reason, null);
    assert.equal(undone.restored, 1);
    const [act] = await service.ctx.db`
      select from audit_log l join audit_reasons r on r.act_id = l.id where l.target_id = ${petition.id}`;
    assert.equal(act, undefined);
    assert.equal(await countOf(petition), 1);
  });

  it('erases origins 90 days after a petition has ended', async () => {
    const { petition } = await signedBy(2, 0);
    const { petition: active } = await signedBy(1, 0);
    await creator.api.post(`/v1/petitions/${petition.id}/close`);
    const kept = async (id: string) => {
      const [row] = await service.ctx.db`
        select count(origin)::int + count(device)::int as n from signatures where petition_id = ${id}`;
      return row!.n;
    };
    const run = async () => {
      const { db } = service.ctx;
      await db`select graphile_worker.add_job('forget-origins', job_key => 'now')`;
      const waiting = db`select from graphile_worker.jobs where key = 'now'`;
      await eventually(async () => (await db`${waiting}`).length === 0, 15_000);
    };
    const endBefore = (days: number) => service.ctx.db`
      update petitions set closed_at = now() - ${days} * interval '1 day' where id = ${petition.id}`;
    await endBefore(89);
    await run();
    assert.equal(await kept(petition.id), 4);
    await endBefore(91);
    await run();
    assert.equal(await kept(petition.id), 0);
    assert.equal(await kept(active.id), 2);
  });
});

describe('shared networks', () => {
  it('have a higher signing limit, on every process within two seconds', async () => {
    const env = { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' };
    await using service = await startService({ env });
    await using other = await startService({ env, beside: service });
    const admin = await logInAsAdmin(service);
    const creator = await signUp(service);
    const petition = await createPublished(creator);
    const tokens = await createTokens(service, 30);
    let next = 0;
    const sign = async (at: Service, ip: string) =>
      (await signFrom(at, tokens[next++ % 30]!, petition, { ip })).status;
    const add = (network: string, limit?: number) =>
      admin.api.post('/v1/admin/shared-networks', {
        network,
        note: 'Riverside School',
        ...(limit && { limit }),
      });
    for (let n = 0; n < 10; n += 1) assert.equal(await sign(service, '192.0.2.9'), 201);
    assert.equal(await sign(service, '192.0.2.9'), 429);
    const added = await add('192.0.2.77/24', 12);
    assert.equal(added.status, 201);
    assert.equal(added.body.data.network, '192.0.2.0/24');
    assert.equal((await add('192.0.2.0/24')).status, 409);
    assert.equal(await sign(service, '192.0.2.9'), 201);
    assert.equal(await sign(service, '192.0.2.9'), 201);
    assert.equal(await sign(service, '192.0.2.9'), 429);
    // Without Redis the other process has its own counter. Its cache of networks expires.
    for (let n = 0; n < 10; n += 1) assert.equal(await sign(other, '192.0.2.10'), 201);
    await eventually(async () => (await sign(other, '192.0.2.10')) !== 429, 2_000);

    assert.equal((await add('2001:db8::/32')).status, 201);
    const [network] = (await admin.api.get('/v1/admin/shared-networks?limit=1')).body.data;
    assert.deepEqual([network.network, network.limit], ['2001:db8::/32', 200]);
    for (const wrong of [
      '192.0.2.1',
      '0.0.0.0/0',
      '::/0',
      '10.0.0.0/33',
      '::ffff:10.0.0.0/104',
      '',
    ]) {
      assert.equal((await add(wrong)).status, 422, wrong);
    }
    const path = `/v1/admin/shared-networks/${added.body.data.id}`;
    assert.equal((await creator.api.delete(path)).status, 403);
    assert.equal((await admin.api.delete(path)).status, 204);
    assert.equal((await admin.api.delete(path)).status, 404);
    assert.equal(await sign(service, '192.0.2.9'), 429);
    const acts = await service.ctx.db`
      select action from audit_log where target_type = 'shared_network' order by id`;
    assert.deepEqual(
      acts.map(({ action }) => action),
      ['shared_network.add', 'shared_network.add', 'shared_network.remove'],
    );
  });
});
