import { choice, ConfigError, url, type Environment } from './config-values.ts';
import { maxKeyedLocalPart } from './platform/mail-keys.ts';
import type { MailSettings, SmtpSettings } from './platform/mail.ts';

interface Site {
  production: boolean;
  baseUrl: string;
}

const addressPattern = /^[^\s@<>"]+@[^\s@<>"]+$/;

/** Reads how mail is sent. @throws {ConfigError} */
export function mailSettings(env: Environment, site: Site): MailSettings {
  const from = sender(env, `Petitions <no-reply@${new URL(site.baseUrl).hostname}>`);
  return {
    smtp: smtp(env, site),
    from: from.text,
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

function smtp(env: Environment, { production, baseUrl }: Site): SmtpSettings | undefined {
  const text = url(env, 'SMTP_URL', ['smtp:', 'smtps:']);
  if (choice(env, 'MAIL', ['smtp', 'files'], text ? 'smtp' : 'files') === 'files') {
    if (production && env.MAIL !== 'files') {
      throw new ConfigError(
        'SMTP_URL is needed with NODE_ENV=production: nobody could confirm a signature. MAIL=files writes mails into DATA_DIR/mail instead.',
      );
    }
    return undefined;
  }
  if (!text) throw new ConfigError('SMTP_URL is needed with MAIL=smtp.');
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

/** Reads MAIL_FROM: an address, or a name and an address in angle brackets. */
function sender(env: Environment, fallback: string): { text: string; address: string } {
  const text = env.MAIL_FROM?.trim() || fallback;
  const bracketed = /^[^<>\r\n]*<([^<>\s]+)>$/.exec(text)?.[1];
  const found = bracketed ?? text;
  if (!addressPattern.test(found)) {
    throw new ConfigError(
      `MAIL_FROM is '${text}'; it must be an address, or a name and an address: Petitions <no-reply@example.org>.`,
    );
  }
  return { text, address: found };
}

function address(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim();
  if (!text) return undefined;
  if (!addressPattern.test(text)) {
    throw new ConfigError(`${name} is '${text}'; it must be an email address.`);
  }
  return text;
}
