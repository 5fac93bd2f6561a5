import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
      baseUrl: 'https://petitions.test',
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

  it('of a relay for mails to many need the relay for all others', () => {
    const bulk = { SMTP_BULK_URL: 'smtp://bulk:secret@bulk.test' };
    const env = { ...production, MAIL: 'smtp', SMTP_URL: 'smtp://relay.test' };
    assert.deepEqual(readConfig({ ...env, ...bulk }).mail.bulkSmtp, {
      url: 'smtp://bulk:secret@bulk.test',
      hostname: 'petitions.test',
      requireTls: true,
    });
    assert.equal(readConfig(env).mail.bulkSmtp, undefined);
    assert.equal(readConfig({ ...production, ...bulk }).mail.bulkSmtp, undefined);
    const development = { SECRET: 'any', PAYMENT_SECRET: 'any' };
    assert.throws(
      () => readConfig({ ...development, ...bulk }),
      /^ConfigError: SMTP_URL is needed/,
    );
    assert.throws(
      () => readConfig({ ...env, SMTP_BULK_URL: 'https://bulk:secret@bulk.test' }),
      ({ message }: Error) =>
        message.startsWith('SMTP_BULK_URL must') && !message.includes('secret'),
    );
  });

  describe('of signed mails', () => {
    const pem = { type: 'pkcs8', format: 'pem' } as const;
    const rsaKey = (modulusLength: number) =>
      generateKeyPairSync('rsa', { modulusLength }).privateKey.export(pem);
    const key = rsaKey(1024);
    const dkim = { DKIM_DOMAIN: 'Petitions.test', DKIM_SELECTOR: 's1', DKIM_KEY: key };
    const dkimOf = (env: Record<string, string>) => readConfig({ ...production, ...env }).mail.dkim;

    it('take the key as PEM, as its base64, or from a file', async () => {
      const expected = { domain: 'petitions.test', selector: 's1', privateKey: key };
      assert.equal(readConfig(production).mail.dkim, undefined);
      assert.deepEqual(dkimOf(dkim), expected);
      assert.deepEqual(dkimOf({ ...dkim, DKIM_KEY: btoa(key) }), expected);
      const directory = await mkdtemp(join(tmpdir(), 'dkim-'));
      const file = join(directory, 'dkim.pem');
      await writeFile(file, key);
      assert.deepEqual(dkimOf({ ...dkim, DKIM_KEY: '', DKIM_KEY_FILE: file }), expected);
      await rm(directory, { recursive: true });
    });

    const ed25519 = generateKeyPairSync('ed25519').privateKey.export(pem);
    const mistakes: [string, Record<string, string>, RegExp][] = [
      ['no domain', { DKIM_DOMAIN: '' }, /^DKIM_DOMAIN: needed too/],
      ['only a domain', { DKIM_SELECTOR: '', DKIM_KEY: '' }, /^DKIM_SELECTOR, DKIM_KEY: needed/],
      ['a sentence as domain', { DKIM_DOMAIN: 'my domain' }, /^DKIM_DOMAIN is 'my domain'/],
      ['a selector with a tag', { DKIM_SELECTOR: 's1; t=y' }, /^DKIM_SELECTOR is 's1; t=y'/],
      ['two keys', { DKIM_KEY_FILE: '/dkim.pem' }, /^DKIM_KEY and DKIM_KEY_FILE are both set/],
      ['no such file', { DKIM_KEY: '', DKIM_KEY_FILE: '/no.pem' }, /^DKIM_KEY_FILE is .*ENOENT/],
      ['no key', { DKIM_KEY: 'password1' }, /^DKIM_KEY must be a private key/],
      ['a short key', { DKIM_KEY: rsaKey(512) }, /^DKIM_KEY is a key of rsa with 512 bits/],
      ['a key of another kind', { DKIM_KEY: ed25519 }, /^DKIM_KEY is a key of ed25519; it must be/],
    ];
    for (const [name, env, message] of mistakes) {
      it(`name what is wrong: ${name}`, () => {
        assert.throws(
          () => dkimOf({ ...dkim, ...env }),
          (error: Error) => {
            assert.equal(error.name, 'ConfigError');
            assert.match(error.message, message);
            assert.doesNotMatch(error.message, /password1|BEGIN/);
            return true;
          },
        );
      });
    }
  });
});
