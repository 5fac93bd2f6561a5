import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { logInBrowser, type Browser } from '../../../test/support/browser.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { readMail } from '../../../test/support/mail.ts';
import { signUp } from '../../../test/support/people.ts';
import { admin, startService, type Service } from '../../../test/support/service.ts';
import { noteBackup } from '../../oversight/health/health.ts';

const path = '/admin/health';

describe('the page of the health of the service', () => {
  let service: Service;
  let browser: Browser;
  before(async () => {
    service = await startService({ worker: true, log: [] });
    browser = await logInBrowser(service, admin);
  });
  after(() => service[Symbol.asyncDispose]());

  const open = async () => String((await browser.open(path)).body);

  it('is for administrators alone', async () => {
    const visitor = await logInBrowser(service, await signUp(service));
    assert.equal((await visitor.open(path)).status, 404);
    assert.equal((await visitor.open('/admin/guide/operating')).status, 404);
  });

  it('names the versions and sizes, and what is wrong with a cure', async () => {
    const body = await open();
    assert.match(body, /<dt>PostgreSQL<\/dt><dd><code>\d+/);
    assert.match(body, /<dt>Last migration<\/dt><dd><code>01\d\d_/);
    assert.match(body, /<dt>Size of the database<\/dt><dd>[\d.]+ [kMG]B/);
    assert.match(body, /No backup was noted yet/);
    assert.match(body, /There is no address for questions/);
    await noteBackup(service.ctx);
    assert.doesNotMatch(await open(), /No backup was noted/);
    service.advanceClock(9 * 24 * 3600 * 1000);
    assert.match(await open(), /The last backup is 9 days old/);
  });

  it('shows jobs that failed with the reason, and runs them again', async () => {
    const { db } = service.ctx;
    await db`
      select graphile_worker.add_job('send-test-mail', '{"user_id": "no id"}', max_attempts := 1)`;
    await eventually(async () => /1 job failed/.test(await open()));
    const page = await browser.open(path);
    assert.match(String(page.body), /<code>send-test-mail<\/code>.*1 attempt/s);
    assert.match(String(page.body), /invalid input syntax for type uuid/);
    const [, action] = /action="(\/admin\/health\/jobs\/\d+\/retry)"/.exec(String(page.body))!;
    // It can succeed now.
    await db`
      update graphile_worker._private_jobs
      set payload = jsonb_build_object('user_id', (select id from users where role = 'admin'))`;
    const retried = await browser.submit(page, {}, action);
    assert.match(String(retried.body), /role="status">The job runs again/);
    const subjects = async () => (await service.mails()).map((mail) => readMail(mail).subject);
    await eventually(async () => (await subjects()).includes('A test mail of Open Petitions'));
    assert.doesNotMatch(await open(), /job failed/);
    assert.equal((await browser.send(action!, {})).status, 403);
    const audit = await db`select details from audit_log where action = 'job.retry'`;
    assert.equal(audit[0]!.details.task, 'send-test-mail');
  });

  it('sends a test mail', async () => {
    const { length } = await service.mails();
    const sent = await browser.submit(await browser.open(path), {}, `${path}/test-mail`);
    assert.match(String(sent.body), /role="status">A test mail is on its way/);
    await eventually(async () => (await service.mails()).length > length);
  });

  it('links sections of the guide that exist', async () => {
    const texts = new Map<string, string>();
    const source = await import('./health.ts');
    for (const section of Object.values(source.guideSections).filter(Boolean)) {
      const [name, anchor] = section.split('#');
      const address = `/admin/guide/${name}`;
      if (!texts.has(address)) texts.set(address, String((await browser.open(address)).body));
      const text = texts.get(address)!;
      assert.match(text, /<h2/);
      if (anchor) assert.ok(text.includes(`id="${anchor}"`), section);
    }
    assert.equal((await browser.open('/admin/guide/none')).status, 404);
  });
});
