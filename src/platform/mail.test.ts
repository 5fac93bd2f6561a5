import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import {
  startMailServer,
  type MailServer,
  type SmtpAnswers,
} from '../../test/support/mail-server.ts';
import { readMail, testSender } from '../../test/support/mail.ts';
import { logInAsAdmin, signUp } from '../../test/support/people.ts';
import { startService, type Service } from '../../test/support/service.ts';
import { MailError } from './mail-errors.ts';
import type { Language } from './pages/language.ts';
import { createMailer, type Mail, type MailerSettings } from './mail.ts';

const mail: Mail = {
  kind: 'test',
  cause: 'own act',
  to: 'grace.hopper@navy.example',
  language: 'de' as Language,
  subject: 'Hello',
  text: 'A text.\n',
};

const settingsFor = ({ url }: MailServer): MailerSettings => ({
  smtp: { url, requireTls: false, hostname: 'petitions.test' },
  ...testSender,
  envelopeFrom: 'bounces@petitions.test',
  baseUrl: 'https://petitions.test',
});

/** Sends a mail to a server that answers this, and returns the error. */
async function failureOf(answers: SmtpAnswers): Promise<MailError> {
  await using server = await startMailServer();
  server.answer(answers);
  const mailer = createMailer(settingsFor(server), '/nowhere');
  const error = await mailer.send(mail).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  mailer.close();
  assert.ok(error instanceof MailError, `${JSON.stringify(answers)} was not an error`);
  return error;
}

describe('an automatic mail', () => {
  it('has the headers and the sender that are set, and says whether answers are read', async () => {
    await using server = await startMailServer();
    for (const mailReplyTo of [null, 'team@petitions.test']) {
      const settings = settingsFor(server);
      const site = () => ({ ...settings.site(), mailReplyTo });
      const mailer = createMailer({ ...settings, site }, '/nowhere');
      assert.match(await mailer.send(mail), /^250 /);
      mailer.close();
    }
    const [first, second] = server.mails as [string, string];
    assert.match(first, /^From: Open Petitions <no-reply@petitions\.test>\r$/m);
    assert.match(first, /^Auto-Submitted: auto-generated\r$/m);
    assert.doesNotMatch(first, /^Reply-To:/m);
    assert.match(second, /^Reply-To: team@petitions\.test\r$/m);
    assert.match(readMail(first).text, /Antworten darauf liest niemand\.\n$/);
    assert.match(readMail(second).text, /Sie können auf diese E-Mail antworten\.\n$/);
    assert.deepEqual(server.envelopes[0], { from: 'bounces@petitions.test', to: mail.to });
    assert.equal(server.clients[0], 'petitions.test');
  });

  it('is not sent with a login over an unencrypted connection where that is refused', async () => {
    await using server = await startMailServer();
    const settings = settingsFor(server);
    const smtp = { ...settings.smtp!, url: server.url.replace('//', '//user:password@') };
    const careful = createMailer({ ...settings, smtp: { ...smtp, requireTls: true } }, '/nowhere');
    await assert.rejects(careful.send(mail), { name: 'MailError', isBounce: false });
    careful.close();
    assert.equal(server.mails.length, 0);
    const careless = createMailer({ ...settings, smtp }, '/nowhere');
    await careless.send(mail);
    careless.close();
    assert.equal(server.mails.length, 1);
  });
});

describe('an answer of a mail server', () => {
  const bounces: SmtpAnswers[] = [
    { rcpt: ['550 no such user'] },
    { rcpt: ['551 user not local'] },
    { rcpt: ['552 5.2.2 mailbox full'] },
    { rcpt: ['553 5.1.3 bad address'] },
    { rcpt: ['550-5.1.1 no such user\r\n550 5.1.1 see our help'] },
    { end: ['550 5.1.1 no such user'] },
    { end: ['550 5.2.1 mailbox disabled'] },
    { data: ['550 5.1.10 null MX'] },
  ];
  for (const answers of bounces) {
    it(`ends a mail for good: ${JSON.stringify(answers)}`, async () => {
      assert.equal((await failureOf(answers)).isBounce, true);
    });
  }

  const waits: SmtpAnswers[] = [
    { connect: ['554 no service for you'] },
    { connect: ['421 too many connections'] },
    { mail: ['530 5.7.0 authentication required'] },
    { mail: ['550 5.1.1 the sender does not exist'] },
    { mail: ['553 sender rejected'] },
    { mail: ['554 5.7.1 blocked'] },
    { mail: ['503 bad sequence'] },
    { rcpt: ['450 4.2.1 greylisted'] },
    { rcpt: ['530 authentication required'] },
    { rcpt: ['535 5.7.8 bad credentials'] },
    { rcpt: ['503 no sender'] },
    { rcpt: ['550 5.7.1 relaying denied'] },
    { rcpt: ['550 5.1.8 bad sender domain'] },
    { rcpt: ['553 5.1.7 bad sender address'] },
    { rcpt: ['554 5.3.4 too large'] },
    { rcpt: ['554 5.4.14 hop count exceeded'] },
    { rcpt: ['500 5.5.2 syntax error'] },
    { data: ['554 no valid recipients'] },
    { end: ['451 try later'] },
    { end: ['550 looks like spam'] },
    { end: ['554 5.7.1 looks like spam'] },
    { end: ['552 5.3.4 too large'] },
    { end: ['552 5.2.2 mailbox full'] },
  ];
  for (const answers of waits) {
    it(`lets a mail wait: ${JSON.stringify(answers)}`, async () => {
      assert.equal((await failureOf(answers)).isBounce, false);
    });
  }

  it('is logged without the local part of an address', async () => {
    const error = await failureOf({
      rcpt: [
        '550 5.1.1 <Grace.Hopper@navy.example>: no grace.hopper here, not even g@navy.example',
      ],
    });
    assert.equal(error.response, '550 5.1.1 <…@navy.example>: no … here, not even …@navy.example');
    assert.equal(error.command, 'RCPT TO');
    assert.doesNotMatch(`${error.stack}${JSON.stringify(error)}`, /grace/i);
  });
});

describe('mails that the mail server does not take at first', () => {
  /** Lets waiting mails be tried at once, as if the pause had passed. */
  const skipPauses = ({ ctx }: Service) =>
    ctx.db`
      update graphile_worker._private_jobs set run_at = now()
      where locked_at is null and run_at > now() and attempts > 0`;

  it('all arrive, each once, after every refusal that is not about their recipient', async () => {
    await using server = await startMailServer();
    const url = server.url.replace('//', '//user:password@');
    const log: string[] = [];
    await using service = await startService({
      worker: true,
      env: { SMTP_URL: url, LOG_LEVEL: 'warn' },
      log,
    });
    server.answer({
      connect: ['554 closed', '421 busy'],
      auth: ['535 5.7.8 wrong password', '454 4.7.0 not now'],
      mail: ['530 5.7.0 log in first', '553 5.1.8 who are you', '554 5.7.1 blocked', '421 bye'],
      rcpt: ['450 4.2.1 greylisted', '550 5.7.1 relaying denied', '554 5.1.8 sender domain'],
      data: ['451 4.3.0 disk full', '554 5.5.1 not now'],
      end: ['452 4.3.1 disk full', '554 5.7.1 spam', '421 4.3.2 shutting down'],
    });
    const people = await Promise.all(
      Array.from({ length: 12 }, (_, n) => signUp(service, `P ${n}`)),
    );
    await eventually(async () => {
      await skipPauses(service);
      return server.mails.length >= people.length;
    }, 30_000);
    await eventually(async () => {
      const jobs = await service.ctx.db`
        select from graphile_worker.jobs where task_identifier = 'send-verification-mail'`;
      return jobs.length === 0;
    });
    const recipients = server.envelopes.map(({ to }) => to);
    assert.deepEqual(recipients.toSorted(), people.map(({ email }) => email).toSorted());
    const refused = log
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg }) => msg === 'a mail was not accepted');
    assert.ok(refused.length >= 16);
    for (const { kind, domain } of refused) {
      assert.deepEqual([kind, domain], ['verification', people[0]!.email.split('@')[1]]);
    }
    const blocked = refused.find(({ response }) => response === '554 5.7.1 blocked');
    assert.deepEqual(
      [blocked!.command, blocked!.code, blocked!.response_code],
      ['MAIL FROM', 'EENVELOPE', 554],
    );
    for (const { email } of people) assert.ok(!log.join('').includes(email));
  });

  it('are counted with the age of the oldest, and given up ones too', async () => {
    await using server = await startMailServer();
    await using service = await startService({ worker: true, env: { SMTP_URL: server.url } });
    const admin = await logInAsAdmin(service);
    server.answer({ mail: Array<string>(9).fill('554 5.7.1 blocked') });
    await signUp(service);
    await signUp(service);
    const { db } = service.ctx;
    await eventually(async () => {
      const { waiting } = (await admin.api.get('/v1/admin/metrics')).body.data.mails;
      return waiting === 2;
    }, 10_000);
    const sample = async (name: string) => {
      const { body } = await service.api.get('/metrics');
      return Number(new RegExp(`^${name} (.*)$`, 'm').exec(body)![1]);
    };
    assert.equal(await sample('mails_waiting'), 2);
    assert.ok((await sample('mails_oldest_waiting_seconds')) > 0);
    assert.ok((await sample('mails_total{kind="verification",outcome="deferred"}')) >= 2);
    await db`
      update graphile_worker._private_jobs set attempts = max_attempts where id = (
        select id from graphile_worker.jobs where task_identifier = 'send-verification-mail'
          and locked_at is null limit 1)`;
    await eventually(async () => (await sample('mails_failed')) === 1);
    assert.equal(await sample('mails_waiting'), 1);
  });
});
