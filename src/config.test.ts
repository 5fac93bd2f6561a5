import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from './config.ts';

describe('settings', () => {
  const production = {
    NODE_ENV: 'production',
    MAIL: 'files',
    BASE_URL: 'https://petitions.test',
    DATABASE_URL: 'postgres://127.0.0.1/petitions',
    SECRET: 'a secret of more than 32 bytes, for tests only',
    PAYMENT_SECRET: 'another secret',
  };

  it('need a verified address to sign in production, unless set otherwise', () => {
    assert.equal(readConfig(production).signaturePolicy, 'verified');
    assert.equal(readConfig({ ...production, SIGNATURE_POLICY: 'open' }).signaturePolicy, 'open');
    const development = { SECRET: 'any', PAYMENT_SECRET: 'any' };
    assert.equal(readConfig(development).signaturePolicy, 'open');
  });

  it('of mail have defaults by the host of BASE_URL', () => {
    const settings = readConfig({ ...production, MAIL: '', SMTP_URL: 'smtp://relay.test' }).mail;
    assert.deepEqual(settings, {
      smtp: { url: 'smtp://relay.test', hostname: 'petitions.test', requireTls: false },
      from: 'Petitions <no-reply@petitions.test>',
      replyTo: undefined,
      envelopeFrom: 'no-reply@petitions.test',
      envelopeKeys: true,
    });
    assert.equal(readConfig(production).mail.smtp, undefined);
    const named = readConfig({ ...production, MAIL_FROM: 'Ada’s City <mail@ada.test>' }).mail;
    assert.deepEqual(
      [named.from, named.envelopeFrom],
      ['Ada’s City <mail@ada.test>', 'mail@ada.test'],
    );
  });

  it('leave room for the key of each mail in its envelope sender', () => {
    const senderOf = (env: Record<string, string>) => readConfig({ ...production, ...env }).mail;
    const longest = `${'b'.repeat(21)}@petitions.test`;
    assert.equal(senderOf({ MAIL_ENVELOPE_FROM: longest }).envelopeFrom, longest);
    assert.throws(() => senderOf({ MAIL_ENVELOPE_FROM: `b${longest}` }), {
      name: 'ConfigError',
      message: /at most 21 bytes may stand before its @/,
    });
    const off = { MAIL_ENVELOPE_FROM: `b${longest}`, MAIL_ENVELOPE_KEYS: 'off' };
    assert.equal(senderOf(off).envelopeKeys, false);
  });

  it('take a token of delivery reports of 16 characters or more', () => {
    const tokenOf = (MAIL_BOUNCE_TOKEN: string) =>
      readConfig({ ...production, MAIL_BOUNCE_TOKEN }).mailBounceToken;
    assert.equal(tokenOf('x'.repeat(16)), 'x'.repeat(16));
    assert.equal(tokenOf(''), undefined);
    assert.throws(() => tokenOf('x'.repeat(15)), { name: 'ConfigError', message: /16 characters/ });
  });

  it('need an encrypted connection for a login to the mail server in production', () => {
    const smtpOf = (SMTP_URL: string, env: Record<string, string> = production) =>
      readConfig({ ...env, MAIL: 'smtp', SMTP_URL }).mail.smtp!;
    assert.equal(smtpOf('smtp://user:password@relay.test').requireTls, true);
    const allowed = smtpOf('smtp://user:password@relay.test?allow_plain=1');
    assert.equal(allowed.requireTls, false);
    assert.doesNotMatch(allowed.url, /allow_plain/);
    const development = { SECRET: 'any', PAYMENT_SECRET: 'any' };
    assert.equal(smtpOf('smtp://user:password@relay.test', development).requireTls, false);
  });
});
