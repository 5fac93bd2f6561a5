import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { addDecisionMaker, recordOf } from '../../../test/support/decision-makers.ts';
import {
  composeReport,
  eximReport,
  feedbackReport,
  gmailReport,
  microsoftReport,
  postfixReport,
  sesReport,
  type ReportedMail,
} from '../../../test/support/delivery-reports.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { startMailServer, type MailServer } from '../../../test/support/mail-server.ts';
import { readMail } from '../../../test/support/mail.ts';
import { createPublished, signUp, verifyAddress } from '../../../test/support/people.ts';
import { bounceToken as token, startService, type Service } from '../../../test/support/service.ts';
import { createMailKey } from '../../platform/mail-keys.ts';
import { mailboxHash } from '../../platform/mail-suppressions.ts';

const dayMs = 86_400_000;

describe('a delivery report', () => {
  let server: MailServer;
  let service: Service;
  let count = 0;
  before(async () => {
    server = await startMailServer();
    service = await startService({
      worker: true,
      env: {
        SMTP_URL: server.url,
        MAIL_ENVELOPE_FROM: 'bounces@petitions.test',
      },
    });
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  const newAddress = () => `reader-${(count += 1)}@mailbox.example`;

  const mailsTo = (address: string) => server.envelopes.filter(({ to }) => to === address).length;
  /** What a mail server knows of the newest mail to an address. */
  const mailTo = (to: string): ReportedMail => {
    const index = server.envelopes.findLastIndex((one) => one.to === to);
    const messageId = /^Message-ID:\s+(<.*>)\r$/im.exec(server.mails[index]!)![1]!;
    return { to, sender: server.envelopes[index]!.from, messageId };
  };
  /** Sends a mail that somebody asked for. */
  const newMail = async (to = newAddress()): Promise<ReportedMail> => {
    const earlier = mailsTo(to);
    const { status } = await service.api.post('/v1/auth/magic-link', { email: to });
    assert.equal(status, 202);
    await eventually(() => mailsTo(to) > earlier, 10_000);
    return mailTo(to);
  };
  const send = (report: string | Buffer, more: Record<string, string> = {}) =>
    fetch(`${service.origin}/v1/mail/bounces`, {
      method: 'POST',
      body: report,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'message/rfc822', ...more },
    });
  const accept = async (report: string) => assert.equal((await send(report)).status, 204);
  const silenced = async () =>
    (await service.ctx.db`select mailbox, cause from mail_suppressions`).map(
      ({ mailbox, cause }) => `${(mailbox as Buffer).toString('hex')} ${cause}`,
    );
  const silencedAs = (to: string, cause: string) =>
    `${mailboxHash(service.ctx.keys, to).toString('hex')} ${cause}`;
  /** Asserts that a report silences these mailboxes and no other. */
  const expectSilenced = async (act: () => Promise<unknown>, expected: string[]) => {
    const earlier = await silenced();
    await act();
    assert.deepEqual(
      (await silenced()).filter((one) => !earlier.includes(one)),
      expected,
    );
  };

  it('finds the key of a mail in its envelope sender and its Message-ID', async () => {
    const { sender, messageId } = await newMail();
    const key = /^bounces\+([0-9a-v]{42})@petitions\.test$/.exec(sender)?.[1];
    assert.ok(key, sender);
    assert.match(messageId, new RegExp(`^<${key}\\.[0-9a-f]{16}@petitions\\.test>$`));
    assert.ok(sender.indexOf('@') <= 64);
  });

  const bounces: [string, (mail: ReportedMail) => string][] = [
    ['Postfix', postfixReport],
    ['Exim', eximReport],
    ['Microsoft', microsoftReport],
    ['Gmail', gmailReport],
    ['Amazon SES', sesReport],
  ];
  for (const [name, compose] of bounces) {
    it(`of ${name} silences its address and no other`, async () => {
      await newMail();
      const mail = await newMail();
      await newMail();
      await expectSilenced(() => accept(compose(mail)), [silencedAs(mail.to, 'bounced')]);
      await expectSilenced(() => accept(compose(mail)), []);
    });
  }

  it('counts by either key', async () => {
    for (const other of [
      { sender: 'bounces@petitions.test' },
      { messageId: '<4711@relay.example>' },
    ]) {
      const mail = await newMail();
      const report = postfixReport({ ...mail, ...other });
      await expectSilenced(() => accept(report), [silencedAs(mail.to, 'bounced')]);
    }
  });

  it('counts with a long mail that it returns', async () => {
    const mail = await newMail();
    const long = postfixReport(mail).replace('Its text.', 'Its text.\r\n'.repeat(40_000));
    await expectSilenced(() => accept(long), [silencedAs(mail.to, 'bounced')]);
  });

  it('of a complaint silences as a bounce does', async () => {
    const mail = await newMail();
    await expectSilenced(() => accept(feedbackReport(mail)), [silencedAs(mail.to, 'complained')]);
    const mild = await newMail();
    for (const type of ['not-spam', 'auth-failure']) {
      await expectSilenced(() => accept(feedbackReport(mild, type)), []);
    }
  });

  it('without a valid key changes nothing', async () => {
    const { keys, now } = service.ctx;
    const mail = await newMail();
    const victim = await newMail();
    const keyOf = ({ sender }: ReportedMail) => /\+(.*)@/.exec(sender)![1]!;
    const key = keyOf(mail);
    const other = key[30] === '0' ? '1' : '0';
    const daysAgo = (days: number) =>
      createMailKey(keys, mailboxHash(keys, mail.to), new Date(now().getTime() - days * dayMs));
    await using stranger = await startService();
    const forged = {
      'another MAC': `${key.slice(0, -4)}0000`,
      'a changed day': `${key.slice(0, 27)}v${key.slice(28)}`,
      'a changed mailbox': keyOf(victim).slice(0, 25) + key.slice(25),
      'a changed digit': key.slice(0, 30) + other + key.slice(31),
      'too old': daysAgo(31),
      'of tomorrow': daysAgo(-3),
      'of another instance': createMailKey(
        stranger.ctx.keys,
        mailboxHash(stranger.ctx.keys, mail.to),
        now(),
      ),
      'too short': key.slice(1),
      'unused bits set': key.slice(0, -1) + (Number.parseInt(key.at(-1)!, 32) + 1).toString(32),
      none: '',
    };
    for (const [what, wrong] of Object.entries(forged)) {
      const report = postfixReport({
        to: mail.to,
        sender: `bounces+${wrong}@petitions.test`,
        messageId: `<${wrong}.0011223344556677@petitions.test>`,
      });
      await expectSilenced(() => accept(report), []).catch((error: unknown) => {
        throw new Error(what, { cause: error });
      });
    }
    const old = { ...mail, sender: `bounces+${daysAgo(30)}@petitions.test` };
    await expectSilenced(() => accept(postfixReport(old)), [silencedAs(mail.to, 'bounced')]);
  });

  it('of what can pass, or is not about the recipient, changes nothing', async () => {
    const mail = await newMail();
    for (const [action, status] of [
      ['delayed', '4.4.1'],
      ['delayed', '5.1.1'],
      ['relayed', '2.1.9'],
      ['delivered', '2.0.0'],
      ['expanded', '5.1.1'],
      ['failed', '4.2.2'],
      ['failed', '5.1.7'],
      ['failed', '5.1.8'],
      ['failed', '5.2.2'],
      ['failed', '5.7.1'],
      ['failed', '5.4.4'],
      ['failed', '5.0.0'],
      ['failed', '55.1.1'],
    ]) {
      await expectSilenced(
        () => accept(postfixReport(mail, { action: action!, status: status! })),
        [],
      );
    }
  });

  it('needs the token, a type and a size', async () => {
    const report = postfixReport(await newMail());
    for (const authorization of ['', 'Bearer', 'Bearer wrong', `Basic ${token}`]) {
      assert.equal((await send(report, { authorization })).status, 401, authorization);
    }
    assert.equal((await send(report, { 'content-type': 'application/json' })).status, 415);
    assert.equal((await send(Buffer.alloc(1_048_577, 'a'))).status, 413);
    assert.equal((await service.api.post('/v1/mail/bounces')).status, 401);
    await using without = await startService({ beside: service, env: { MAIL_BOUNCE_TOKEN: '' } });
    const { status } = await without.api.send('POST', '/v1/mail/bounces', report, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'message/rfc822' },
    });
    assert.equal(status, 404);
  });

  it('is refused by name if it is none, quickly', async () => {
    const mail = await newMail();
    const boundary = (n: number) =>
      `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`;
    const nested = Array.from({ length: 3000 }, (_, n) => boundary(n)).join('');
    const hostile = {
      nothing: '',
      zeros: Buffer.alloc(1_000_000),
      'random bytes': Buffer.from(Array.from({ length: 100_000 }, (_, n) => (n * 7919) % 256)),
      'a letter': `To: ${mail.sender}\r\nContent-Type: text/plain\r\n\r\nI am away until Monday.`,
      'deep parts': nested,
      'many headers': 'A: b\r\n'.repeat(170_000),
      'a long header': `To: ${'<'.repeat(1_000_000)}`,
      'many addresses': `To: ${'a@b.example,'.repeat(80_000)}\r\n\r\n`,
      HTML: `Content-Type: text/html\r\n\r\n${'<a href='.repeat(120_000)}`,
      'many lines': `To: ${mail.sender}\r\n\r\n${'\n'.repeat(1_000_000)}`,
      'many parts': `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n'.repeat(200_000)}`,
    };
    for (const [what, body] of Object.entries(hostile)) {
      const start = performance.now();
      const answer = await send(body);
      assert.equal(answer.status, 422, what);
      assert.equal(((await answer.json()) as { code: string }).code, 'unreadable_report', what);
      assert.ok(performance.now() - start < 3000, what);
    }
    const status = (text: string) =>
      composeReport({ headers: [`To: ${mail.sender}`], status: ['message/delivery-status', text] });
    const readable = {
      'no recipients': status('Reporting-MTA: dns; mx'),
      'many recipients': status('Action: failed\nStatus: 4.0.0\n\n'.repeat(30_000)),
      'many fields': status('Action: delayed\n'.repeat(60_000)),
      folding: status(`Action: failed${'\n '.repeat(300_000)}`),
      keys: status(`Original-Envelope-Id: ${`+${'0'.repeat(42)}@`.repeat(20_000)}`),
    };
    for (const [what, body] of Object.entries(readable)) {
      const start = performance.now();
      await expectSilenced(() => accept(body), []);
      assert.ok(performance.now() - start < 3000, what);
    }
  });

  it('is counted and logged, without an address', async () => {
    const log: string[] = [];
    await using observed = await startService({
      beside: service,
      log,
      env: { LOG_LEVEL: 'info' },
    });
    const mail = await newMail();
    const post = (body: string) =>
      observed.api.send('POST', '/v1/mail/bounces', body, {
        headers: { authorization: `Bearer ${token}`, 'content-type': 'message/rfc822' },
      });
    await post(postfixReport(mail));
    await post(postfixReport({ ...mail, sender: 'a@b.example', messageId: '<c@d.example>' }));
    await post(postfixReport(mail, { action: 'delayed' }));
    await post('no report');
    const metrics = (await observed.api.get('/metrics')).body as string;
    for (const labels of [
      'kind="bounce",outcome="counted"',
      'kind="bounce",outcome="unproven"',
      'kind="other",outcome="ignored"',
      'kind="other",outcome="unreadable"',
    ]) {
      assert.ok(metrics.includes(`mail_reports_total{${labels}} 1`), labels);
    }
    const lines = log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'a mail report');
    assert.equal(lines.length, 4);
    assert.equal(lines[0].domain, 'mailbox.example');
    assert.equal(lines[1].domain, undefined);
    assert.ok(!log.join('').includes(mail.to));
    assert.ok(!log.join('').includes(mail.sender));
  });

  it('of a delivery to a decision maker makes it failed, unless it was opened', async () => {
    const creator = await signUp(service, 'Creator');
    await verifyAddress(service, creator);
    const petition = await createPublished(creator);
    const deliver = async () => {
      const maker = await addDecisionMaker(creator, petition, { email: newAddress() });
      await creator.api.post(`${maker.path}/deliver`, { summary: 'none' });
      await eventually(async () => (await recordOf(creator, maker)).state === 'sent', 10_000);
      return maker;
    };
    const [gone, untouched, opened, complaining] = [
      await deliver(),
      await deliver(),
      await deliver(),
      await deliver(),
    ];
    const { text } = readMail(server.mails.find((mail) => readMail(mail).to === opened.email)!);
    const [, link] = /\/respond\/([\w-]+)/.exec(text)!;
    await service.api.post(`/respond/${link}/opened`);
    for (const maker of [gone, opened]) await accept(postfixReport(mailTo(maker.email)));
    await accept(feedbackReport(mailTo(complaining.email)));
    const stateOf = async (maker: typeof gone) => (await recordOf(creator, maker)).state;
    assert.deepEqual(
      [await stateOf(gone), await stateOf(untouched), await stateOf(opened)],
      ['failed', 'sent', 'opened'],
    );
    assert.equal(await stateOf(complaining), 'sent');
    // Nothing is sent to it again.
    await creator.api.post(`${gone.path}/deliver`, { summary: 'none' });
    await eventually(async () => !(await recordOf(creator, gone)).sending);
    assert.equal(mailsTo(gone.email), 1);
    assert.equal(await stateOf(gone), 'failed');
  });

  it('is undone by the owner of the address, who asks for a new confirmation', async () => {
    for (const compose of [postfixReport, feedbackReport]) {
      const owner = await signUp(service, 'Owner');
      await verifyAddress(service, owner);
      const mails = () => mailsTo(owner.email);
      await eventually(() => mails() === 1, 10_000);
      const mail = await newMail(owner.email);
      const resend = () => owner.api.post('/v1/auth/verify-email/resend');
      const first = mails();
      assert.equal((await resend()).status, 204);
      await accept(compose(mail));
      assert.equal((await resend()).status, 204);
      await eventually(() => mails() === first + 1, 10_000);
      const { subject, text } = readMail(
        server.mails.findLast((one) => readMail(one).to === owner.email)!,
      );
      assert.equal(subject, 'Confirm your email address again');
      const [, proof] = /verify-email\?token=([\w-]+)/.exec(text)!;
      const earlier = await silenced();
      await service.api.post('/v1/auth/verify-email', { token: proof });
      assert.equal((await silenced()).length, earlier.length - 1);
      await resend();
      await newMail(owner.email);
      assert.equal(mails(), first + 2);
    }
  });

  it('comes from webhooks of providers by the script of the docs', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'petitions-bounces-'));
    const docs = await readFile(new URL('../../../docs/mail-bounces.md', import.meta.url), 'utf8');
    const script = join(directory, 'bounces.mjs');
    await writeFile(script, /```js\n([^]*?)```/.exec(docs)![1]!);
    const dumps = new Map<string, string>();
    const postmark = await startDumps(dumps);
    const port = await freePort();
    const child = spawn(process.execPath, [script], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        PORT: String(port),
        HOOK_SECRET: 'secret',
        SERVICE_URL: service.origin,
        MAIL_BOUNCE_TOKEN: token,
        POSTMARK_API: postmark.origin,
        POSTMARK_TOKEN: 'any',
      },
    });
    try {
      const hook = (path: string, body: object) =>
        fetch(`http://127.0.0.1:${port}/${path}`, { method: 'POST', body: JSON.stringify(body) });
      await eventually(
        async () => (await hook('wrong/ses', {}).catch(() => undefined))?.status === 404,
        10_000,
      );
      const [ses, complained, mailgun, suppressed, spam, dumped] = [
        await newMail(),
        await newMail(),
        await newMail(),
        await newMail(),
        await newMail(),
        await newMail(),
      ];
      dumps.set('42', postfixReport({ ...dumped, sender: 'pm_bounces@pm.mtasv.net' }));
      const sesMail = ({ sender, messageId }: ReportedMail) => ({
        source: sender,
        headers: [{ name: 'Message-ID', value: messageId }],
      });
      const sns = (message: object) => ({ Type: 'Notification', Message: JSON.stringify(message) });
      const mailgunEvent = ({ to, messageId }: ReportedMail, more: object) => ({
        'event-data': {
          recipient: to,
          message: { headers: { 'message-id': messageId.slice(1, -1) } },
          ...more,
        },
      });
      const hooks: [string, object, string[]][] = [
        [
          'ses',
          sns({
            notificationType: 'Bounce',
            bounce: {
              bounceType: 'Permanent',
              bouncedRecipients: [{ emailAddress: ses.to, action: 'failed', status: '5.1.1' }],
            },
            mail: sesMail(ses),
          }),
          [silencedAs(ses.to, 'bounced')],
        ],
        [
          'ses',
          sns({
            notificationType: 'Bounce',
            bounce: { bounceType: 'Transient', bouncedRecipients: [{ emailAddress: spam.to }] },
            mail: sesMail(spam),
          }),
          [],
        ],
        [
          'ses',
          sns({
            notificationType: 'Complaint',
            complaint: { complainedRecipients: [{ emailAddress: complained.to }] },
            mail: { source: complained.sender },
          }),
          [silencedAs(complained.to, 'complained')],
        ],
        [
          'mailgun',
          mailgunEvent(mailgun, {
            event: 'failed',
            severity: 'permanent',
            reason: 'bounce',
            'delivery-status': { code: 550, message: '5.1.1 No such user\r\nAction: delayed' },
          }),
          [silencedAs(mailgun.to, 'bounced')],
        ],
        [
          'mailgun',
          mailgunEvent(suppressed, {
            event: 'failed',
            severity: 'permanent',
            reason: 'suppress-bounce',
            'delivery-status': { code: 605, message: '' },
          }),
          [silencedAs(suppressed.to, 'bounced')],
        ],
        [
          'mailgun',
          mailgunEvent(spam, { event: 'complained' }),
          [silencedAs(spam.to, 'complained')],
        ],
        ['postmark', { RecordType: 'Bounce', ID: 42 }, [silencedAs(dumped.to, 'bounced')]],
      ];
      for (const [name, body, expected] of hooks) {
        await expectSilenced(async () => {
          assert.equal((await hook(`secret/${name}`, body)).status, 204, name);
        }, expected);
      }
      assert.equal((await hook('secret/postmark', { ID: 1 })).status, 500);
    } finally {
      child.kill();
      await once(child, 'exit');
      await postmark[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    }
  });
});

/** Serves reports as Postmark's bounce API does. */
async function startDumps(dumps: Map<string, string>) {
  const server = createHttpServer((request, response) => {
    const [, id] = /^\/bounces\/(\d+)\/dump$/.exec(request.url!) ?? [];
    const Body = dumps.get(id ?? '');
    response.writeHead(Body ? 200 : 404).end(JSON.stringify({ Body }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
