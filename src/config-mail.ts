import { createPrivateKey, type KeyObject } from 'node:crypto';
import { choice, ConfigError, url, type Environment } from './config-values.ts';
import { maxKeyedLocalPart } from './platform/mail-keys.ts';
import type { DkimSettings, MailSettings, SmtpSettings } from './platform/mail.ts';

interface Site {
  production: boolean;
  baseUrl: string;
}

const addressPattern = /^[^\s@<>"]+@[^\s@<>"]+$/;

/** Reads how mail is sent. @throws {ConfigError} */
export function mailSettings(env: Environment, site: Site): MailSettings {
  const from = sender(env, `no-reply@${new URL(site.baseUrl).hostname}`);
  const [smtp, dkim] = [mainRelay(env, site), dkimSettings(env)];
  const bulkSmtp = bulkRelay(env, site, smtp);
  return {
    smtp,
    ...(bulkSmtp && { bulkSmtp }),
    ...(dkim && { dkim }),
    from,
    replyTo: address(env, 'MAIL_REPLY_TO'),
    ...envelope(env, from.address),
    baseUrl: site.baseUrl,
  };
}

const minTokenLength = 16;

/** Reads the token with which delivery reports are sent by HTTP, if they are taken. @throws {ConfigError} */
export function bounceToken(env: Environment): string | undefined {
  const token = env.MAIL_BOUNCE_TOKEN;
  if (!token) return undefined;
  if (token.length < minTokenLength) {
    throw new ConfigError(`MAIL_BOUNCE_TOKEN must have ${minTokenLength} characters or more.`);
  }
  return token;
}

/** Reads the address to which mail servers report failures, and whether the key of each mail is added to it. */
function envelope(
  env: Environment,
  fallback: string,
): Pick<MailSettings, 'envelopeFrom' | 'envelopeKeys'> {
  const envelopeFrom = address(env, 'MAIL_ENVELOPE_FROM') ?? fallback;
  const envelopeKeys = choice(env, 'MAIL_ENVELOPE_KEYS', ['on', 'off'], 'on') === 'on';
  const local = envelopeFrom.slice(0, envelopeFrom.lastIndexOf('@'));
  if (envelopeKeys && Buffer.byteLength(local) > maxKeyedLocalPart) {
    throw new ConfigError(
      `The key of each mail is added to '${envelopeFrom}', to which mail servers report failures: at most ${maxKeyedLocalPart} bytes may stand before its @. Set MAIL_ENVELOPE_FROM to a shorter address, or MAIL_ENVELOPE_KEYS=off.`,
    );
  }
  return { envelopeFrom, envelopeKeys };
}

function mainRelay(env: Environment, site: Site): SmtpSettings | undefined {
  const text = url(env, 'SMTP_URL', ['smtp:', 'smtps:']);
  if (choice(env, 'MAIL', ['smtp', 'files'], text ? 'smtp' : 'files') === 'files') {
    if (site.production && env.MAIL !== 'files') {
      throw new ConfigError(
        'SMTP_URL is needed with NODE_ENV=production: nobody could confirm a signature. MAIL=files writes mails into DATA_DIR/mail instead.',
      );
    }
    return undefined;
  }
  if (!text) throw new ConfigError('SMTP_URL is needed with MAIL=smtp.');
  return relay(text, site);
}

/** Reads SMTP_BULK_URL. MAIL=files switches it off too. */
function bulkRelay(
  env: Environment,
  site: Site,
  main: SmtpSettings | undefined,
): SmtpSettings | undefined {
  const text = url(env, 'SMTP_BULK_URL', ['smtp:', 'smtps:']);
  if (!text || env.MAIL === 'files') return undefined;
  if (!main) {
    throw new ConfigError(
      'SMTP_URL is needed with SMTP_BULK_URL, which takes only mails that go to many.',
    );
  }
  return relay(text, site);
}

/** `allow_plain=1` in the address is ours: it permits a login without encryption. */
function relay(text: string, { production, baseUrl }: Site): SmtpSettings {
  const server = new URL(text);
  const allowsPlain = server.searchParams.get('allow_plain') === '1';
  server.searchParams.delete('allow_plain');
  const hasLogin = server.username !== '' || server.password !== '';
  return {
    url: server.href,
    hostname: new URL(baseUrl).hostname,
    requireTls: production && hasLogin && !allowsPlain,
  };
}

/** Reads DKIM_*: all of them, or none. The messages do not repeat the key. */
function dkimSettings(env: Environment): DkimSettings | undefined {
  const { DKIM_KEY: key } = env;
  const domain = matching(env, 'DKIM_DOMAIN', /^([a-z\d-]{1,63}\.)+[a-z\d-]{2,63}$/i);
  const selector = matching(env, 'DKIM_SELECTOR', /^[a-z\d]([a-z\d.-]{0,61}[a-z\d])?$/i);
  if (!domain && !selector && !key) return undefined;
  if (!domain || !selector || !key) {
    const missing = [!domain && 'DKIM_DOMAIN', !selector && 'DKIM_SELECTOR', !key && 'DKIM_KEY'];
    throw new ConfigError(
      `${missing.filter(Boolean).join(', ')}: needed too, since others of DKIM_* are set.`,
    );
  }
  return {
    domain: domain.toLowerCase(),
    selector,
    privateKey: dkimKey(key).export({ type: 'pkcs8', format: 'pem' }),
  };
}

function matching(env: Environment, name: string, pattern: RegExp): string | undefined {
  const text = env[name]?.trim();
  if (!text) return undefined;
  if (!pattern.test(text)) {
    throw new ConfigError(`${name} is '${text}'; it must be a name of DNS, such as example.org.`);
  }
  return text;
}

/** Parses a PEM, or the base64 of a PEM. The mail library signs with RSA only. */
function dkimKey(text: string): KeyObject {
  const pem = text.includes('-----BEGIN') ? text : Buffer.from(text, 'base64').toString('latin1');
  let key: KeyObject;
  try {
    key = createPrivateKey(pem.trim());
  } catch {
    throw new ConfigError('DKIM_KEY must be a private key in PEM, or the base64 of one.');
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: { modulusLength: bits = 0 } = {} } = key;
  if (type !== 'rsa' || bits < 1024) {
    const found = bits > 0 ? `${type} with ${bits} bits` : type;
    throw new ConfigError(
      `DKIM_KEY is a key of ${found}; it must be RSA with 1024 bits or more, better 2048.`,
    );
  }
  return key;
}

/** Reads MAIL_FROM: an address, or a name and an address in angle brackets. */
function sender(env: Environment, fallback: string): MailSettings['from'] {
  const text = env.MAIL_FROM?.trim() || fallback;
  const [, name, bracketed] = /^([^<>\r\n]*)<([^<>\s]+)>$/.exec(text) ?? [];
  const found = bracketed ?? text;
  if (!addressPattern.test(found)) {
    throw new ConfigError(
      `MAIL_FROM is '${text}'; it must be an address, or a name and an address: Petitions <no-reply@example.org>.`,
    );
  }
  return { name: name?.trim().replace(/^"(.*)"$/, '$1') || undefined, address: found };
}

function address(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim();
  if (!text) return undefined;
  if (!addressPattern.test(text)) {
    throw new ConfigError(`${name} is '${text}'; it must be an email address.`);
  }
  return text;
}
