import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createVerify, generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { startMailServer } from '../../test/support/mail-server.ts';
import type { Language } from './pages/language.ts';
import { testSender } from '../../test/support/mail.ts';
import { createMailer, type Mail, type MailerSettings } from './mail.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const keyRecord = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;

const settings: MailerSettings = {
  smtp: undefined,
  ...testSender,
  envelopeFrom: 'bounces@petitions.test',
  baseUrl: 'https://petitions.test',
  dkim: {
    domain: 'petitions.test',
    selector: 's1',
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  },
};

const mail: Mail = {
  kind: 'test',
  cause: 'list',
  to: 'grace.hopper@navy.example',
  language: 'de' as Language,
  subject:
    'Über die Brücke – ein sehr langer Betreff, der gewiss über mehrere Zeilen gefaltet wird',
  text: 'Ein Text.  \n\n.\nMit Leerzeichen am Ende \n',
  headers: {
    'List-Unsubscribe': '<https://petitions.test/unsubscribe/1>',
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  },
};

const signedFields = [
  'from',
  'to',
  'subject',
  'date',
  'message-id',
  'list-unsubscribe',
  'list-unsubscribe-post',
];

/** Fields that the signature covers. */
const coveredBy = (eml: string): string[] => {
  const [, value] = /^DKIM-Signature:((?:.|\r?\n[ \t])*)/m.exec(eml)!;
  const unfolded = value!.replaceAll(/\s/g, '');
  assert.match(unfolded, /;a=rsa-sha256;.*d=petitions\.test;.*s=s1;/);
  return /;h=([^;]+)/.exec(unfolded)![1]!.toLowerCase().split(':');
};

async function sendBySmtp(): Promise<string> {
  await using server = await startMailServer();
  const smtp = { url: server.url, requireTls: false, hostname: 'petitions.test' };
  const mailer = createMailer({ ...settings, smtp }, '/nowhere');
  await mailer.send(mail);
  mailer.close();
  return server.mails[0]!;
}

async function sendToFile(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'signed-mail-'));
  const mailer = createMailer(settings, directory);
  const eml = await readFile(await mailer.send(mail), 'utf8');
  mailer.close();
  await rm(directory, { recursive: true });
  return eml;
}

/** Verifies the signature as RFC 6376 says, with relaxed canonicalization of both parts. */
function isSigned(eml: string): boolean {
  const [head, ...rest] = eml.replaceAll(/\r?\n/g, '\r\n').split('\r\n\r\n');
  assert.ok(rest.length > 0);
  const fields = head!.replaceAll(/\r\n(?=[ \t])/g, '').split('\r\n');
  const relaxed = (name: string) => {
    const field = fields.find((one) => one.toLowerCase().startsWith(`${name}:`))!;
    const value = field.slice(name.length + 1).replaceAll(/[ \t]+/g, ' ');
    return `${name}:${value.trim()}`;
  };
  const signature = relaxed('dkim-signature');
  const [unsigned, b] = signature.split(/(?<=; ?b=)/) as [string, string];
  const signed = [...coveredBy(eml).map((name) => `${relaxed(name)}\r\n`), unsigned].join('');
  return createVerify('sha256').update(signed).verify(publicKey, b.replaceAll(' ', ''), 'base64');
}

/** Debian's, for which its packages are. */
const python = '/usr/bin/python3';
const program = `
import dkim, sys
record = sys.argv[1].encode()
sys.exit(0 if dkim.verify(sys.stdin.buffer.read(), dnsfunc=lambda *_, **__: record) else 1)`;
const verifyByDkimpy = (eml: string) =>
  spawnSync(python, ['-c', program, keyRecord], { input: eml }).status;
const hasDkimpy = spawnSync(python, ['-c', 'import dkim']).status === 0;

for (const [name, send] of [
  ['by SMTP', sendBySmtp],
  ['into a file', sendToFile],
] as const) {
  describe(`a mail that goes ${name}`, () => {
    it('is signed with the fields that people and mail programs see', async () => {
      const eml = await send();
      const covered = coveredBy(eml);
      for (const field of signedFields) assert.ok(covered.includes(field), field);
      assert.ok(isSigned(eml));
      assert.ok(!isSigned(eml.replace('unsubscribe/1', 'unsubscribe/2')));
    });

    it('is signed for dkimpy', { skip: !hasDkimpy && 'needs python3-dkim' }, async () => {
      const eml = await send();
      assert.equal(verifyByDkimpy(eml), 0);
      assert.equal(verifyByDkimpy(eml.replace('Ein Text', 'Kein Text')), 1);
    });
  });
}
