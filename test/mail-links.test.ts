import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createActivePerson } from './support/active-person.ts';
import { addDecisionMaker, deliver } from './support/decision-makers.ts';
import { eventually } from './support/eventually.ts';
import { readMail } from './support/mail.ts';
import { createPublished, signUp } from './support/people.ts';
import { startService, type Service } from './support/service.ts';

/**
 * Changed by reading a page, which counts how often petitions were seen; all the time, by workers that live; and each
 * minute, by the watch over signatures.
 */
const changedAnyway = new Set([
  'petition_views',
  'signature_source_days',
  'job_workers',
  'integrity_watch',
  'signature_minutes',
]);

describe('links of mails', () => {
  let service: Service;
  before(async () => {
    service = await startService({ worker: true });
  });
  after(() => service[Symbol.asyncDispose]());

  /** A hash of each table. */
  const snapshot = async (): Promise<Record<string, string>> => {
    const { db } = service.ctx;
    const tables = await db.column<string>`
      select tablename from pg_tables where schemaname = 'public' order by tablename`;
    const hashes: Record<string, string> = {};
    for (const table of tables.filter((one) => !changedAnyway.has(one))) {
      hashes[table] = await db.value<string>`
        select md5(coalesce(string_agg(t::text, '|' order by t::text), ''))
        from ${db(table)} t`;
    }
    return hashes;
  };
  /** Whether nothing is left to do in the background. */
  const isQuiet = (): Promise<boolean> =>
    service.ctx.db.value<boolean>`
      select not exists (
          select from graphile_worker.jobs where run_at <= now() and attempts < max_attempts)
        and not exists (select from notification_inboxes where mail_due_at <= now())
        and not exists (select from notification_fan_outs)
        and not exists (
          select from event_followers f where exists (
            select from events e
            where (e.transaction, e.position) > (f.transaction, f.position)))
        and not exists (
          select from transparency_log where scan is not null or published_size < size)
        and not exists (select from transparency_petitions where total_due_at is not null)`;

  it('change nothing by GET and HEAD, as mail scanners open them', async () => {
    const person = await createActivePerson(service);
    await service.api.post('/v1/auth/forgot-password', { email: person.email });
    await service.api.post('/v1/auth/magic-link', { email: person.email });
    const creator = await signUp(service, 'Creator');
    const petition = await createPublished(creator);
    await deliver(service, creator, await addDecisionMaker(creator, petition), { summary: 'none' });
    const path = `/v1/petitions/${petition.id}/signatures/pending`;
    await service.api.post(path, { display_name: 'Any', email: 'any@example.org' });
    await eventually(isQuiet, 20_000);
    const mails = (await service.mails()).map(readMail);
    const links = new Set(
      mails.flatMap(({ text, html }) => [
        ...[...text.matchAll(/http:\/\/petitions\.test\/\S+/g)].map(([link]) => link),
        ...[...html.matchAll(/href="(http:\/\/petitions\.test\/[^"]+)"/g)].map(([, link]) =>
          link!.replaceAll('&amp;', '&'),
        ),
      ]),
    );
    const kinds = new Set([...links].map((link) => new URL(link).pathname.split('/')[1]));
    for (const kind of ['verify-email', 'reset-password', 'login', 'respond', 'mail', 'p']) {
      assert.ok(kinds.has(kind), `${kind} is among ${[...kinds].join(', ')}`);
    }
    const earlier = await snapshot();
    for (const link of links) {
      const { pathname, search } = new URL(link);
      for (const method of ['HEAD', 'GET', 'GET']) {
        const { status } = await service.api.send(method, pathname + search);
        assert.ok(status < 500, `${method} ${link}: ${status}`);
      }
    }
    await eventually(isQuiet, 20_000);
    assert.deepEqual(await snapshot(), earlier);
  });
});
