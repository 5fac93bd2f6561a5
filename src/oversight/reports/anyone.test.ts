import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Answer } from '../../../test/support/client.ts';
import { Browser } from '../../../test/support/browser.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { readMail } from '../../../test/support/mail.ts';
import {
  createPublished,
  createUsers,
  logIn,
  logInAsAdmin,
  signUp,
  verifyAddress,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('reports by people without an account', () => {
  let service: Service;
  let creator: Person;
  let admin: Person;
  let count = 0;
  before(async () => {
    service = await startService({
      worker: true,
      env: { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' },
    });
    creator = await signUp(service, 'Creator');
    admin = await logInAsAdmin(service);
  });
  after(() => service[Symbol.asyncDispose]());

  const newAddress = () => `reader-${++count}@example.org`;
  /** A browser in a network of its own. */
  const browserIn = (network = `81.2.${++count}.1`) =>
    new Browser(service.api.with({ 'x-forwarded-for': network }));
  const report = async (browser: Browser, path: string, fields: Record<string, string>) =>
    browser.submit(await browser.open(path), fields);
  const mailsTo = async (email: string) =>
    (await service.mails()).map(readMail).filter(({ to }) => to.toLowerCase() === email);
  /** Waits for the confirmation mail to this address. */
  const mailTo = async (email: string) => {
    const find = async () =>
      (await mailsTo(email)).find(({ text }) => text.includes('/reports/confirm?token='));
    await eventually(async () => (await find()) !== undefined);
    const { subject, text } = (await find())!;
    return {
      code: /\d{6}/.exec(subject)![0],
      path: /\/reports\/confirm\?token=[\w-]+/.exec(text)![0],
    };
  };
  // oxlint-disable-next-line typescript/no-explicit-any
  const queueOf = async ({ id }: { id: string }): Promise<any[]> => {
    const { body } = await admin.api.get('/v1/admin/reports?limit=100');
    return body.data.filter((one: { target_id: string }) => one.target_id === id);
  };
  const numberIn = ({ body }: Answer): string | undefined =>
    /Number of your report.*?<bdi>([0-9a-f-]{36})<\/bdi>/s.exec(body)?.[1];
  const wrong = (code: string) => (code === '000000' ? '000001' : '000000');

  it('are stored once their link is used, and never weigh', async () => {
    const petition = await createPublished(creator);
    const browser = browserIn();
    const email = newAddress();
    const form = await browser.open(`/p/${petition.slug}/report`);
    assert.doesNotMatch(form.body, /checked/);
    const asked = await browser.submit(form, { reason: 'spam', description: 'An <advert>', email });
    assert.match(asked.body, new RegExp(email));
    assert.equal((await queueOf(petition)).length, 0);
    const { path } = await mailTo(email);
    // On another device.
    const phone = browserIn();
    const button = await phone.open(path);
    assert.equal((await queueOf(petition)).length, 0, 'opening the link stores nothing');
    const done = await phone.submit(button, {});
    const [stored, ...others] = await queueOf(petition);
    assert.deepEqual(others, []);
    assert.equal(numberIn(done), stored.id);
    assert.equal(stored.reporter_id, null);
    assert.equal(stored.description, 'An <advert>');
    assert.equal(stored.open_reports, 1);
    assert.equal(stored.weight, 0);
    // Used again, by either way.
    assert.equal(numberIn(await phone.submit(button, {})), stored.id);
    assert.equal(numberIn(await browser.open(path)), stored.id);
    assert.equal((await queueOf(petition)).length, 1);
    await eventually(async () =>
      (await mailsTo(email)).some(({ text }) => text.includes(stored.id)),
    );
  });

  it('are decided: the reporter is told by mail, and can complain once', async () => {
    const petition = await createPublished(creator);
    const email = newAddress();
    const browser = browserIn();
    const form = { reason: 'spam', email };
    await report(browser, `/p/${petition.slug}/report`, form);
    const done = await browser.submit(await browser.open((await mailTo(email)).path), {});
    const path = `/v1/admin/reports/${numberIn(done)}/action`;
    const decision = { action: 'dismiss', reason: 'It sells nothing.', note: 'A rival.' };
    assert.equal((await admin.api.post(path, decision)).status, 200);
    const toldBy = async (part: string) => {
      const find = async () => (await mailsTo(email)).find(({ text }) => text.includes(part));
      await eventually(async () => (await find()) !== undefined, 20_000);
      return (await find())!;
    };
    const mail = await toldBy('/complaints/');
    assert.match(mail.subject, /^Your report was decided$/);
    assert.match(mail.text, /within the rules/);
    assert.doesNotMatch(mail.text, /sells nothing|A rival|Creator/);
    const link = /\/complaints\/\S+/.exec(mail.text)![0];
    const text = 'It sells the books of its author, see the last line.';
    assert.equal((await browser.submit(await browser.open(link), { text })).status, 200);
    assert.match((await browser.open(link)).body, /Your complaint is here/);
    const { body } = await admin.api.get('/v1/admin/complaints?limit=100');
    const complaint = body.data.find((one: { text: string }) => one.text === text);
    assert.equal(complaint.side, 'reporter');
    service.advanceClock(25 * 3_600_000);
    try {
      const elsewhere = service.api.with({ 'x-forwarded-for': `81.2.${++count}.1` });
      const { api } = await logIn({ ...service, api: elsewhere }, admin);
      const answer = { decision: 'reverse', reason: 'Seen now.' };
      const decided = await api.post(`/v1/admin/complaints/${complaint.id}/decision`, answer);
      assert.equal(decided.status, 200);
    } finally {
      service.advanceClock(-25 * 3_600_000);
    }
    assert.match((await toldBy('Seen now.')).subject, /^Your complaint was right/);
    assert.equal((await queueOf(petition)).length, 1);
  });

  it('are stored once by concurrent confirmations, and once for each mailbox', async () => {
    const petition = await createPublished(creator);
    const browser = browserIn();
    const email = newAddress();
    await report(browser, `/p/${petition.slug}/report`, { reason: 'spam', email });
    const { path } = await mailTo(email);
    const button = await browser.open(path);
    const all = await Promise.all(Array.from({ length: 5 }, () => browser.submit(button, {})));
    assert.equal(new Set(all.map(numberIn)).size, 1);
    const again = browserIn();
    const form = { reason: 'other', email: email.toUpperCase() };
    const asked = await report(again, `/p/${petition.slug}/report`, form);
    const find = async () =>
      (await mailsTo(email)).find(
        ({ text }) => text.includes('/reports/confirm?') && !text.includes(path),
      );
    await eventually(async () => (await find()) !== undefined);
    const [code] = /\d{6}/.exec((await find())!.subject)!;
    assert.equal(numberIn(await again.submit(asked, { code })), numberIn(all[0]!));
    assert.equal((await queueOf(petition)).length, 1);
  });

  it('take the code in the browser that reported, five times', async () => {
    const petition = await createPublished(creator);
    const browser = browserIn();
    const email = newAddress();
    const asked = await report(browser, `/p/${petition.slug}/report`, { reason: 'spam', email });
    const { code, path } = await mailTo(email);
    for (let n = 0; n < 5; n += 1) {
      const refused = await browser.submit(asked, { code: wrong(code) });
      assert.equal(refused.status, 422);
      assert.match(refused.body, /aria-invalid="true"/);
    }
    assert.equal((await browser.submit(asked, { code })).status, 429);
    assert.equal((await queueOf(petition)).length, 0);
    const [, id] = /name="id" value="([^"]+)"/.exec(asked.body)!;
    assert.doesNotMatch((await browserIn().open(`/reports/confirm?id=${id}`)).body, /example\.org/);
    assert.ok(numberIn(await browser.submit(await browser.open(path), {})));
    assert.equal((await queueOf(petition)).length, 1);
  });

  it('end after a day', async () => {
    const petition = await createPublished(creator);
    const browser = browserIn();
    const email = newAddress();
    const asked = await report(browser, `/p/${petition.slug}/report`, { reason: 'spam', email });
    const { code, path } = await mailTo(email);
    const button = await browser.open(path);
    await service.ctx.db`
      update pending_reports set expires_at = now() - interval '1 second' where email = ${email}`;
    assert.equal((await browser.submit(button, {})).status, 410);
    assert.equal((await browser.submit(asked, { code })).status, 410);
    assert.match((await browser.open(path)).body, /too old/);
    assert.equal((await queueOf(petition)).length, 0);
  });

  it('need a reason and an address', async () => {
    const petition = await createPublished(creator);
    const browser = browserIn();
    const path = `/p/${petition.slug}/report`;
    const incomplete: Record<string, string>[] = [
      {},
      { reason: 'spam' },
      { reason: 'spam', email: 'nobody' },
    ];
    for (const fields of incomplete) {
      const refused = await report(browser, path, fields);
      assert.equal(refused.status, 422, JSON.stringify(fields));
      assert.match(refused.body, /role="alert"/);
    }
    assert.equal((await browserIn().open('/p/unknown/report')).status, 404);
    assert.equal((await browserIn().open(`/reports/${creator.id}`)).status, 404);
  });

  it('of sexual abuse of children need no address, and are few from one network', async () => {
    const petition = await createPublished(creator);
    const browser = browserIn('2001:db8:7:1::1');
    const path = `/p/${petition.slug}/report`;
    const done = await report(browser, path, { reason: 'child_abuse' });
    const [stored] = await queueOf(petition);
    assert.equal(numberIn(done), stored.id);
    assert.equal(stored.reason, 'child_abuse');
    assert.equal(stored.weight, 0);
    assert.equal(numberIn(await report(browser, path, { reason: 'child_abuse' })), stored.id);
    const statuses = [];
    for (let n = 0; n < 6; n += 1) {
      const other = await createPublished(creator);
      statuses.push(
        (await report(browser, `/p/${other.slug}/report`, { reason: 'child_abuse' })).status,
      );
    }
    assert.deepEqual(statuses, [200, 200, 200, 200, 429, 429]);
    const elsewhere = await createPublished(creator);
    const free = await report(browserIn(), `/p/${elsewhere.slug}/report`, {
      reason: 'child_abuse',
    });
    assert.ok(numberIn(free));
  });

  it('are few from one network, and few to one mailbox', async () => {
    const { slug } = await createPublished(creator);
    const path = `/p/${slug}/report`;
    const flood = browserIn('203.0.113.9');
    const statuses = [];
    for (let n = 0; n < 12; n += 1) {
      statuses.push((await report(flood, path, { reason: 'spam', email: newAddress() })).status);
    }
    assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 200), 429, 429]);
    const victim = newAddress();
    const toOne = [];
    for (let n = 0; n < 6; n += 1) {
      toOne.push((await report(browserIn(), path, { reason: 'spam', email: victim })).status);
    }
    assert.deepEqual(toOne, [200, 200, 200, 200, 200, 429]);
  });

  it('take comments, profiles and reasons of signatures', async () => {
    const petition = await createPublished(creator);
    const [signer] = await createUsers(service, 1);
    const { body } = await signer!.api.post(`/v1/petitions/${petition.id}/signatures`, {
      comment: 'A rude reason',
    });
    const signature = body.data.id;
    const commented = await creator.api.post(`/v1/petitions/${petition.id}/comments`, {
      body: 'A rude comment',
    });
    const comment = commented.body.data.id;
    const page = (await browserIn().open(`/p/${petition.slug}`)).body;
    for (const [type, id, path] of [
      ['signature', signature, `/p/${petition.slug}/report?signature=${signature}`],
      ['comment', comment, `/p/${petition.slug}/report?comment=${comment}`],
      ['user', creator.id, `/u/${creator.slug}/report`],
    ] as const) {
      if (type !== 'user') assert.ok(page.includes(`href="${path}"`), path);
      await report(browserIn(), path, { reason: 'child_abuse' });
      assert.deepEqual(
        (await queueOf({ id })).map((one) => one.target_type),
        [type],
      );
    }
  });

  it('are exported to the owner of the address, and erased with the account', async () => {
    const petition = await createPublished(creator);
    const other = await createPublished(creator);
    const person = await signUp(service, 'Owner');
    const browser = browserIn();
    const fields = { reason: 'spam', description: 'I am Owner.', email: person.email };
    await report(browser, `/p/${petition.slug}/report`, fields);
    const { path } = await mailTo(person.email);
    await browser.submit(await browser.open(path), {});
    await report(browser, `/p/${other.slug}/report`, fields);
    const exported = async () => (await person.api.get('/v1/users/me/export')).body;
    const unverified = await exported();
    assert.deepEqual([unverified.reports, unverified.pending_reports], [[], []], 'not verified');
    await verifyAddress(service, person);
    const own = await exported();
    assert.equal(own.reports[0].target_id, petition.id);
    assert.equal(own.pending_reports.length, 2);
    const { api } = await logIn(service, person);
    assert.equal((await api.delete('/v1/users/me', { password: person.password })).status, 204);
    const [kept] = await queueOf(petition);
    assert.equal(kept.description, null);
    const rest = await service.ctx.db`select from pending_reports where email = ${person.email}`;
    assert.equal(rest.length, 0);
  });
});
