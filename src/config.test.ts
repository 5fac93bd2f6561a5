import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { secretNames, withSecretFiles } from './config-files.ts';
import { readConfig } from './config.ts';
import { createLogger } from './context.ts';
import { settingAdvice } from './platform/setting-advice.ts';
import { SiteSettings } from './platform/site/site-settings.ts';
import {
  createSigner,
  formatVerifierKey,
  type SignatureKind,
} from './platform/transparency/notes.ts';

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
    const policyFor = (env: Record<string, string>) => {
      const config = readConfig(env);
      const log = createLogger({ logLevel: 'silent', role: 'all' });
      return new SiteSettings({ db: undefined as never, config, log }).current.signaturePolicy;
    };
    assert.equal(policyFor(production), 'verified');
    assert.equal(policyFor({ ...production, SIGNATURE_POLICY: 'open' }), 'open');
    assert.equal(policyFor({ SECRET: 'any', PAYMENT_SECRET: 'any' }), 'open');
  });

  it('of production are judged, each with its cure', () => {
    const namesFor = (env: Record<string, string>) =>
      settingAdvice(readConfig({ ...production, ...env })).map(({ name }) => name);
    assert.deepEqual(namesFor({ RATE_LIMITS: 'off' }), [
      'limits_off',
      'mail_in_files',
      'metrics_open',
    ]);
    const good = { MAIL: '', SMTP_URL: 'smtp://relay.test', METRICS_TOKEN: 'x'.repeat(16) };
    assert.deepEqual(namesFor(good), []);
    assert.deepEqual(namesFor({ NODE_ENV: 'development', RATE_LIMITS: 'off' }), []);
    const [advice] = settingAdvice(readConfig({ ...production, METRICS_PORT: '9000' }));
    assert.match(advice!.text, /^MAIL=files: .*Nobody can confirm an address/);
  });

  it('of mail have defaults by the host of BASE_URL', () => {
    const settings = readConfig({ ...production, MAIL: '', SMTP_URL: 'smtp://relay.test' }).mail;
    assert.deepEqual(settings, {
      smtp: { url: 'smtp://relay.test', hostname: 'petitions.test', requireTls: false },
      from: { name: undefined, address: 'no-reply@petitions.test' },
      replyTo: undefined,
      envelopeFrom: 'no-reply@petitions.test',
      envelopeKeys: true,
      baseUrl: 'https://petitions.test',
    });
    assert.equal(readConfig(production).mail.smtp, undefined);
    const named = readConfig({ ...production, MAIL_FROM: 'Ada’s City <mail@ada.test>' }).mail;
    assert.deepEqual(
      [named.from, named.envelopeFrom],
      [{ name: 'Ada’s City', address: 'mail@ada.test' }, 'mail@ada.test'],
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

  describe('of the public log', () => {
    const logOf = (env: Record<string, string>) =>
      readConfig({ ...production, ...env }).transparencyLog;

    it('name it by the host of BASE_URL', () => {
      assert.deepEqual(logOf({}), { origin: 'petitions.test/log' });
      assert.deepEqual(logOf({ LOG: 'on', LOG_ORIGIN: '' }), { origin: 'petitions.test/log' });
      const development = { SECRET: 'any', PAYMENT_SECRET: 'any', PORT: '3001' };
      assert.deepEqual(readConfig(development).transparencyLog, { origin: 'localhost:3001/log' });
    });

    it('switch it off', () => {
      assert.equal(logOf({ LOG: 'off' }), undefined);
      assert.equal(logOf({ LOG: 'off', LOG_ORIGIN: 'city.example/log' }), undefined);
    });

    it('take another name: host and path', () => {
      for (const [text, origin] of [
        ['city.example/log', 'city.example/log'],
        ['city.example/log/2027/', 'city.example/log/2027'],
        ['city.example', 'city.example'],
        ['City.example:8443/Log', 'city.example:8443/Log'],
        ['https://city.example/log', 'city.example/log'],
        ['städte.example/log', 'xn--stdte-hra.example/log'],
        ['[2001:db8::1]/log', '[2001:db8::1]/log'],
      ] as const) {
        assert.deepEqual(logOf({ LOG_ORIGIN: text }), { origin }, text);
      }
    });

    for (const [name, text] of Object.entries({
      'a sentence': 'our public log',
      'a path alone': '/log',
      'another scheme': 'ftp://city.example/log',
      'a space in the path': 'city.example/a log',
      'a plus, which verifier keys are split at': 'city.example/log+2',
      'a query': 'city.example/log?year=2027',
      'a fragment': 'city.example/log#new',
      'a user': 'ada@city.example/log',
      'what is too long': `city.example/${'x'.repeat(250)}`,
    })) {
      it(`refuse ${name}`, () => {
        assert.throws(() => logOf({ LOG_ORIGIN: text }), {
          name: 'ConfigError',
          message: `LOG_ORIGIN is '${text}'; it must be a host and a path, such as petitions.example.org/log.`,
        });
      });
    }

    it('refuse another value of LOG', () => {
      assert.throws(() => logOf({ LOG: 'yes' }), { name: 'ConfigError', message: /^LOG is 'yes'/ });
    });
  });

  describe('of witnesses', () => {
    const keyOf = (name: string, kind: SignatureKind) =>
      formatVerifierKey(createSigner(name, kind, randomBytes(32)).key);
    const one = keyOf('one.test/w', 'ed25519-cosignature');
    const oneMlDsa = keyOf('one.test/w', 'ml-dsa-44-cosignature');
    const two = keyOf('two.test/w', 'ml-dsa-44-cosignature');
    const read = (text: string | undefined, more: Record<string, string> = {}) =>
      readConfig({
        SECRET: 'any',
        PAYMENT_SECRET: 'any',
        ...(text !== undefined && { LOG_WITNESSES: text }),
        ...more,
      }).logWitnesses.map(({ url, keys }) => ({ url, keys: keys.map(formatVerifierKey) }));

    it('are none by default', () => {
      assert.deepEqual(read(undefined), []);
      assert.deepEqual(read(' '), []);
    });

    it('have one key or two', () => {
      const text = `https://one.test/w/ ${one},https://two.test  ${two} , https://one.test/w ${oneMlDsa}`;
      assert.deepEqual(read(text), [
        { url: 'https://one.test/w', keys: [one, oneMlDsa] },
        { url: 'https://two.test', keys: [two] },
      ]);
    });

    it('are on this machine outside production alone', () => {
      assert.equal(read(`http://localhost:3080 ${one}`)[0]!.url, 'http://localhost:3080');
      assert.equal(read(`https://one.test ${one}`, production).length, 1);
      assert.throws(() => read(`http://localhost:3080 ${one}`, production), {
        name: 'ConfigError',
        message:
          "LOG_WITNESSES has the address 'http://localhost:3080'; it must be https, without a user, a query and a fragment.",
      });
    });

    for (const [name, text, message] of [
      ['an address alone', 'https://one.test', /must be a URL, a space and a verifier key/],
      ['three words', `https://one.test ${one} x`, /must be a URL, a space and a verifier key/],
      ['a key in front', `${one} https://one.test`, /it must be https, or http to this machine/],
      ['http', `http://one.test ${one}`, /it must be https, or http to this machine/],
      ['a user', `https://ada@one.test ${one}`, /without a user, a query and a fragment/],
      ['a query', `https://one.test/?a ${one}`, /without a user, a query and a fragment/],
      ['no key', 'https://one.test one', /which is no verifier key: a verifier key has the form/],
      [
        'the key of a log',
        `https://one.test ${keyOf('log.test', 'ed25519')}`,
        /which is no key of a witness: its type must be 0x04 or 0x06/,
      ],
      ['a key twice', `https://one.test ${one},https://two.test ${one}`, /twice. Remove one\.$/],
    ] as const) {
      it(`are refused with ${name}`, () => {
        assert.throws(() => read(text), { name: 'ConfigError', message });
      });
    }
  });

  describe('of secrets', () => {
    let directory: string;
    before(async () => {
      directory = await mkdtemp(join(tmpdir(), 'secrets-'));
    });
    after(() => rm(directory, { recursive: true }));
    const store = async (name: string, content: string) => {
      const path = join(directory, name);
      await writeFile(path, content);
      return path;
    };
    const secret = 'a secret of a file, of more than 32 bytes';

    it('are read from the file that NAME_FILE names, without the line break at its end', async () => {
      const SECRET_FILE = await store('secret', `${secret}\n`);
      const DATABASE_URL_FILE = await store('database', 'postgres://db.test/petitions\r\n');
      const config = readConfig({
        ...production,
        SECRET: '',
        SECRET_FILE,
        DATABASE_URL: undefined,
        DATABASE_URL_FILE,
      });
      assert.equal(config.secret, secret);
      assert.equal(config.databaseUrl, 'postgres://db.test/petitions');
      assert.equal(readConfig({ ...production, SECRET_FILE: '' }).secret, production.SECRET);
    });

    it('are all read from files', async () => {
      const path = await store('any', ' its content\n');
      for (const name of secretNames) {
        assert.deepEqual(withSecretFiles({ [`${name}_FILE`]: path }), { [name]: ' its content' });
      }
    });

    it('are listed in docs/operating.md', async () => {
      const guide = await readFile(new URL('../docs/operating.md', import.meta.url), 'utf8');
      const documented = new Set(
        guide.match(/(?<=`)[A-Z\d][A-Z\d_]*(SECRET|PASSWORD|TOKEN|KEY|KEY_ID|URL)(?=`)/g),
      );
      documented.add('SECRET');
      const isPublic = new Set(['BASE_URL', 'CAPTCHA_SITE_KEY', 'POSTGRES_PASSWORD']);
      const isReserved = new Set(['BACKUP_KEY']);
      assert.deepEqual(
        [...documented].filter((name) => !isPublic.has(name)).toSorted(),
        secretNames.filter((name) => !isReserved.has(name) || documented.has(name)),
      );
    });

    const mistakes: [string, (path: string) => Record<string, string>, RegExp][] = [
      ['both', (path) => ({ SECRET_FILE: path }), /^SECRET and SECRET_FILE are both set; set one/],
      [
        'no such file',
        (path) => ({ SECRET: '', SECRET_FILE: `${path}.no` }),
        /^SECRET_FILE is '.*\.no', which cannot be read: ENOENT/,
      ],
      [
        'a folder',
        (path) => ({ SMTP_URL_FILE: join(path, '..') }),
        /^SMTP_URL_FILE is .*, which cannot be read: EISDIR/,
      ],
      ['a wrong value', (path) => ({ REDIS_URL_FILE: path }), /^REDIS_URL must be a URL/],
    ];
    for (const [name, env, message] of mistakes) {
      it(`name what is wrong with a file: ${name}`, async () => {
        const path = await store('wrong', secret);
        assert.throws(
          () => readConfig({ ...production, ...env(path) }),
          (error: Error) => {
            assert.equal(error.name, 'ConfigError');
            assert.match(error.message, message);
            assert.ok(!error.message.includes(secret));
            return true;
          },
        );
      });
    }

    it('name a file that is empty', async () => {
      const path = await store('empty', '\n');
      assert.throws(() => readConfig({ ...production, METRICS_TOKEN_FILE: path }), {
        name: 'ConfigError',
        message: `METRICS_TOKEN_FILE is '${path}', which is empty.`,
      });
    });
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
