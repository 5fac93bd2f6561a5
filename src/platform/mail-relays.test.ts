import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startMailServer, type MailServer } from '../../test/support/mail-server.ts';
import { testSender } from '../../test/support/mail.ts';
import { createMailer, type Mail, type MailerSettings } from './mail.ts';

const smtpOf = ({ url }: MailServer) => ({ url, requireTls: false, hostname: 'petitions.test' });

const settingsFor = (server: MailServer): MailerSettings => ({
  smtp: smtpOf(server),
  ...testSender,
  envelopeFrom: 'bounces@petitions.test',
  baseUrl: 'https://petitions.test',
});

const mailTo = (to: string, cause: Mail['cause']): Mail => ({
  kind: 'test',
  cause,
  to,
  language: 'en',
  subject: 'Hello',
  text: 'A text.\n',
});

/** Sends a mail of each cause, one after the other. */
async function sendAll(settings: MailerSettings): Promise<void> {
  const mailer = createMailer(settings, '/nowhere');
  await mailer.send(mailTo('own@example.org', 'own act'));
  await mailer.send(mailTo('list@example.org', 'list'));
  await mailer.send(mailTo('stranger@example.org', 'stranger'));
  await mailer.send(mailTo('own@example.org', 'own act'));
  mailer.close();
}

const recipientsAt = ({ envelopes }: MailServer) => envelopes.map(({ to }) => to.split('@')[0]);

describe('mails that go to many', () => {
  it('go by a relay of their own', async () => {
    await using main = await startMailServer();
    await using bulk = await startMailServer();
    await sendAll({ ...settingsFor(main), bulkSmtp: smtpOf(bulk) });
    assert.deepEqual(recipientsAt(main), ['own', 'stranger', 'own']);
    assert.deepEqual(recipientsAt(bulk), ['list']);
  });

  it('have connections of their own without one', async () => {
    await using server = await startMailServer();
    await sendAll(settingsFor(server));
    assert.deepEqual(recipientsAt(server), ['own', 'list', 'stranger', 'own']);
    assert.equal(server.clients.length, 2);
  });
});
