import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createPublished,
  createTokens,
  logInAsAdmin,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startReceiver, type Receiver } from '../../../test/support/receiver.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { signFrom } from '../../../test/support/signing.ts';

// At once, since each waits for the next step.
describe('the watcher', { concurrency: true }, () => {
  let service: Service;
  let receiver: Receiver;
  let creator: Person;
  let moderator: Person;
  let admin: Person;
  before(async () => {
    receiver = await startReceiver();
    service = await startService({ worker: true, env: { TRUST_PROXY: '127.0.0.1' } });
    creator = await signUp(service, 'Creator');
    moderator = await signUp(service, 'Moderator');
    admin = await logInAsAdmin(service);
    await service.ctx.db`
      update users set role = 'moderator', email_verified_at = now() where id = ${moderator.id}`;
    await service.app.sessions.revocations.refresh();
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
  });

  /** Signs with accounts of a domain from the addresses of a network, in parallel. */
  const signMany = async (
    petition: { id: string },
    count: number,
    {
      ip = (n: number) => `81.${n >> 8}.${n & 255}.7`,
      domain = 'example.org',
      location = undefined as string | undefined,
    } = {},
  ) => {
    const tokens = await createTokens(service, count, domain);
    const answers = await Promise.all(
      tokens.map((token, n) =>
        service.api
          .as(token)
          .with({ 'x-forwarded-for': ip(n), 'user-agent': 'Mozilla/5.0 (Android 15; Mobile)' })
          .post(`/v1/petitions/${petition.id}/signatures`, {
            ...(location && { display_location: location }),
          }),
      ),
    );
    for (const { status, body } of answers) assert.equal(status, 201, JSON.stringify(body));
  };
  const reportOf = async ({ id }: { id: string }) =>
    (await moderator.api.get(`/v1/admin/petitions/${id}/integrity`)).body.data;
  /** Waits for an alert, and until it is about so many signatures. Moderators are told within 60 s. */
  const alertOf = async (petition: { id: string }, kind: string, signatures = 0) => {
    // oxlint-disable-next-line typescript/no-explicit-any
    let found: any;
    await eventually(
      async () => {
        const { alerts } = await reportOf(petition);
        found = alerts.find((alert: { kind: string }) => alert.kind === kind);
        return found?.signatures >= signatures;
      },
      60_000,
      300,
    );
    return found;
  };
  const noticesOf = async (person: Person, petition: { id: string }) =>
    (await person.api.get('/v1/notifications?limit=100')).body.data.filter(
      (one: { type: string; data: { petition_id: string } }) =>
        one.type === 'integrity_alert' && one.data.petition_id === petition.id,
    );
  const farm = (n: number) => `185.220.101.${n % 250}`;

  it('tells moderators of a network, by notification, mail and webhook, and proposes a rule', async () => {
    const endpoint = { url: `${receiver.origin}/alerts`, events: ['integrity.alert'] };
    assert.equal((await moderator.api.post('/v1/webhooks', endpoint)).status, 403);
    assert.equal((await creator.api.post('/v1/webhooks', endpoint)).status, 403);
    assert.equal((await admin.api.post('/v1/webhooks', endpoint)).status, 201);
    const petition = await createPublished(creator);
    await signMany(petition, 30);
    await signMany(petition, 40, { ip: farm });
    const alert = await alertOf(petition, 'network', 40);
    assert.equal(alert.signatures, 40);

    const { proposals } = await reportOf(petition);
    assert.deepEqual(
      proposals.map(({ matches }: { matches: number }) => matches),
      [40],
    );
    const preview = await moderator.api.post(
      `/v1/admin/petitions/${petition.id}/invalidations/preview`,
      { rule: proposals[0].rule },
    );
    assert.equal(preview.body.data.matched, 40);

    for (const person of [moderator, admin]) {
      await eventually(async () => (await noticesOf(person, petition)).length === 1);
    }
    assert.deepEqual(await noticesOf(creator, petition), []);
    await eventually(async () =>
      (await service.mails()).some(
        (mail) => mail.includes(`To: ${moderator.email}`) && mail.includes('Unusual signatures'),
      ),
    );
    const received = () =>
      receiver
        .at('/alerts')
        .map((delivery) => ({ delivery, event: JSON.parse(delivery.body) }))
        .find(({ event: { data } }) => data.petition_id === petition.id && data.kind === 'network');
    await eventually(() => received() !== undefined);
    const { delivery, event } = received()!;
    service.contract.checkDelivery(delivery);
    const { type, data } = event;
    assert.deepEqual([type, data.value], ['integrity.alert', alert.value]);
    // Those that had signed when it was found.
    assert.ok(data.signatures >= 20 && data.signatures <= 40);
  });

  it('tells of disposable domains, tags, and countries that signers state', async () => {
    const petition = await createPublished(creator);
    await signMany(petition, 25, { domain: 'mailinator.com' });
    await service.ctx.db`
      update users set email = 'name+' || id || '@tagged.example' where id in (
        select user_id from signatures where petition_id = ${petition.id})`;
    await signMany(petition, 25, {
      ip: (n) => `82.${n}.1.7`,
      location: 'Vatican City',
    });
    const domain = await alertOf(petition, 'domain', 25);
    assert.deepEqual([domain.value, domain.signatures], ['disposable', 25]);
    assert.equal((await alertOf(petition, 'mailbox')).value, 'tagged.example');
    assert.equal((await alertOf(petition, 'country')).value, 'VA');
  });

  it('tells of a burst, once', async () => {
    const petition = await createPublished(creator);
    await signMany(petition, 80);
    const burst = await alertOf(petition, 'burst');
    assert.ok(burst.signatures >= 50);
    await signMany(petition, 80, { ip: (n) => `90.${n}.1.7` });
    const { alerts } = await reportOf(petition);
    assert.equal(alerts.length, 1, JSON.stringify(alerts));
  });

  it('says nothing of a shared network, and marks it in the report', async () => {
    const school = { network: '192.0.2.77/32', note: 'A school', limit: 1000 };
    assert.equal((await admin.api.post('/v1/admin/shared-networks', school)).status, 201);
    const petition = await createPublished(creator);
    await signMany(petition, 45, { ip: () => '192.0.2.77', domain: 'school.example' });
    // Found by the same step as the school would be.
    await signMany(petition, 30, { ip: farm });
    await alertOf(petition, 'network', 30);
    const { alerts, networks, proposals } = await reportOf(petition);
    assert.equal(proposals.length, 1);
    const kinds = alerts.map(({ kind }: { kind: string }) => kind).toSorted();
    assert.deepEqual(
      kinds.filter((kind: string) => kind !== 'burst'),
      ['network'],
    );
    assert.deepEqual(
      networks.map(({ count, shared }: { count: number; shared: boolean }) => [count, shared]),
      [
        [45, true],
        [30, false],
      ],
    );
  });

  it('reports marks that signers have in common', async () => {
    const petition = await createPublished(creator);
    const tokens = await createTokens(service, 4);
    for (const [n, token] of tokens.entries()) {
      await signFrom(service, token, petition, { ip: `81.2.${n}.1` });
    }
    await service.ctx.db`
      update signatures set is_proven = false where petition_id = ${petition.id}`;
    const { unconfirmed, aliases, elsewhere, totals } = await reportOf(petition);
    assert.deepEqual(unconfirmed, { count: 4, share: 1, invalid: 0 });
    assert.deepEqual(aliases, { count: 0, share: 0, invalid: 0 });
    assert.deepEqual(elsewhere, { count: 0, share: 0, invalid: 0 });
    assert.equal(totals.held, 0);
  });
});
