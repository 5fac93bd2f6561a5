import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import type { BlockList } from 'node:net';
import { join, resolve } from 'node:path';
import { withSecretFiles } from './config-files.ts';
import { bounceToken, mailSettings } from './config-mail.ts';
import { addresses, choice, ConfigError, integer, url, type Environment } from './config-values.ts';
import { logWitnesses, type LogWitness } from './config-witnesses.ts';
import { parseHosts } from './platform/db/hosts.ts';
import type { MailSettings } from './platform/mail.ts';
import type { ModerationMode, SignaturePolicy } from './platform/site/profile.ts';

export { ConfigError } from './config-values.ts';

export type Role = 'all' | 'web' | 'worker';
/** How people are told apart from bots: not at all, by a proof of work, or by an external service. */
export type Captcha = 'off' | 'altcha' | CaptchaService;

export const captchaServices = ['recaptcha', 'hcaptcha', 'turnstile'] as const;

export interface CaptchaService {
  name: (typeof captchaServices)[number];
  /** Public key of the widget on pages. */
  siteKey: string;
  /** Key for verifying tokens. */
  secret: string;
  /** Whether it is reCAPTCHA v3, which shows no challenge and returns a score. */
  isScored: boolean;
}

export interface S3Settings {
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** All settings of an operator, validated. Built once at start; nothing else reads the environment. */
export interface Config {
  production: boolean;
  role: Role;
  /** Undefined for a worker without PORT, which does not listen. */
  port: number | undefined;
  host: string | undefined;
  /** Public address of the service, without a trailing slash. */
  baseUrl: string;
  databaseUrl: string | undefined;
  databaseReplicaUrl: string | undefined;
  /** `transaction`: databaseUrl is the address of a pooler in transaction mode. */
  databasePool: 'session' | 'transaction';
  /** For migrations, jobs and LISTEN; undefined: databaseUrl. */
  databaseDirectUrl: string | undefined;
  /** Whether the start migrates the database. */
  migrate: boolean;
  dataDir: string;
  redisUrl: string | undefined;
  /** Store of uploads; undefined: files under dataDir. */
  s3: S3Settings | undefined;
  mail: MailSettings;
  /** Bearer token of delivery reports by HTTP; undefined: none are taken. */
  mailBounceToken: string | undefined;
  /** An account that exists after the start. */
  admin: { email: string; password: string } | undefined;
  /** Where the link for setting up a new instance goes; undefined: it is printed. */
  setupEmail: string | undefined;
  rateLimits: boolean;
  /** Key material that all other keys of the service are derived from. */
  secret: string;
  /** Key of the signature on a payment provider's callbacks. */
  paymentSecret: string;
  /** Whether something settles payments: the operator has set the key, or this is not production. */
  takesPayments: boolean;
  /** The check that signers must pass. */
  captcha: Captcha;
  /** Undefined: as the settings of the site say. */
  signaturePolicy: SignaturePolicy | undefined;
  /** Undefined: as the settings of the site say. */
  moderation: ModerationMode | undefined;
  /** Proxies whose X-Forwarded-For is trusted. */
  trustProxy: BlockList | undefined;
  /** Mails an hour that carry a user's words to people who did not ask for them. */
  mailHourlyLimit: number;
  /** Open WebSockets and event streams of one address, in each process. */
  liveConnectionsPerAddress: number;
  /** Bearer token of /metrics; undefined: everybody can read them. */
  metricsToken: string | undefined;
  /** The port on which /metrics is served instead; undefined: the port of the API. */
  metricsPort: number | undefined;
  /** Where security researchers write to: a mailto or https address. */
  securityContact: string | undefined;
  /** Delay before the first retry of a delivery; each next delay is 4 times longer. */
  webhookRetryBaseMs: number;
  /** The public log of what is counted; undefined: there is none. */
  transparencyLog: { origin: string } | undefined;
  /** Those that are asked to cosign the public log. */
  logWitnesses: LogWitness[];
  /** Passphrase or key of age by which backups are encrypted; undefined: they are not. */
  backupKey: string | undefined;
  logLevel: string;
}

/**
 * Reads the settings (docs/specification/running.md, Settings) from environment variables, and secrets from the files
 * that they name. Generates a missing PAYMENT_SECRET, and outside production a missing SECRET, and stores it in DATA_DIR;
 * without `makesSecrets`, nothing is written, and a missing one is empty.
 * @throws {ConfigError} naming the first variable that is invalid or missing
 */
export function readConfig(
  environment: Environment,
  { makesSecrets = true }: { makesSecrets?: boolean } = {},
): Config {
  const env = withSecretFiles(environment);
  const nodeEnv = choice(env, 'NODE_ENV', ['development', 'production', 'test'], 'development');
  const production = nodeEnv === 'production';
  const role = choice(env, 'ROLE', ['all', 'web', 'worker'], 'all');
  const port = integer(env, 'PORT', 3000, 0, 65535);
  const dataDir = resolve(env.DATA_DIR || './data');
  const publicUrl = baseUrl(env, production, port);
  const secretIn = makesSecrets ? storedSecret : knownSecret;
  return {
    production,
    role,
    port: role === 'worker' && !env.PORT ? undefined : port,
    host: env.HOST || (production ? '0.0.0.0' : undefined),
    baseUrl: publicUrl,
    databaseUrl: production ? productionDatabaseUrl(env) : databaseUrl(env, 'DATABASE_URL'),
    ...pooling(env),
    databaseReplicaUrl: databaseUrl(env, 'DATABASE_REPLICA_URL'),
    migrate: choice(env, 'MIGRATE', ['on', 'off'], 'on') === 'on',
    dataDir,
    s3: s3(env),
    redisUrl: url(env, 'REDIS_URL', ['redis:', 'rediss:']),
    mail: mailSettings(env, { production, baseUrl: publicUrl }),
    mailBounceToken: bounceToken(env),
    ...administrator(env),
    rateLimits: choice(env, 'RATE_LIMITS', ['on', 'off'], 'on') === 'on',
    secret: production ? productionSecret(env) : env.SECRET || secretIn(dataDir, 'secret'),
    paymentSecret: env.PAYMENT_SECRET || secretIn(dataDir, 'payment-secret'),
    takesPayments: !production || Boolean(env.PAYMENT_SECRET),
    captcha: captcha(env),
    signaturePolicy: env.SIGNATURE_POLICY
      ? choice(env, 'SIGNATURE_POLICY', ['open', 'verified'], 'open')
      : undefined,
    moderation: env.MODERATION
      ? choice(env, 'MODERATION', ['off', 'reports', 'pre'], 'reports')
      : undefined,
    trustProxy: addresses(env, 'TRUST_PROXY'),
    mailHourlyLimit: integer(env, 'MAIL_HOURLY_LIMIT', 10_000, 0, 1_000_000_000),
    liveConnectionsPerAddress: integer(env, 'LIVE_CONNECTIONS_PER_ADDRESS', 20, 1, 1_000_000),
    metricsToken: env.METRICS_TOKEN || undefined,
    metricsPort: env.METRICS_PORT ? integer(env, 'METRICS_PORT', 0, 1, 65_535) : undefined,
    securityContact: url(env, 'SECURITY_CONTACT', ['https:', 'mailto:']),
    webhookRetryBaseMs: integer(env, 'WEBHOOK_RETRY_BASE_MS', 30_000, 1, 86_400_000),
    transparencyLog: transparencyLog(env, publicUrl),
    logWitnesses: logWitnesses(env, production),
    backupKey: env.BACKUP_KEY || undefined,
    logLevel: choice(
      env,
      'LOG_LEVEL',
      ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'],
      'info',
    ),
  };
}

/** Reads a URL that names one or more PostgreSQL servers. */
function databaseUrl(env: Environment, name: string): string | undefined {
  const text = env[name];
  if (!text) return undefined;
  try {
    parseHosts(text);
  } catch (error) {
    throw new ConfigError(`${name} ${(error as Error).message}.`);
  }
  return text;
}

/** Reads the name of the log: host and path, as its notes have it. */
function transparencyLog(env: Environment, publicUrl: string): Config['transparencyLog'] {
  if (choice(env, 'LOG', ['on', 'off'], 'on') === 'off') return undefined;
  const text = env.LOG_ORIGIN;
  if (!text) return { origin: `${new URL(publicUrl).host}/log` };
  const [, hostAndPath] = logAddress.exec(text) ?? [];
  const address = hostAndPath === undefined ? null : URL.parse(`https://${hostAndPath}`);
  const origin = address && `${address.host}${address.pathname.replace(/\/+$/, '')}`;
  if (!origin || origin.length > maxOriginLength) {
    throw new ConfigError(
      `LOG_ORIGIN is '${text}'; it must be a host and a path, such as petitions.example.org/log.`,
    );
  }
  return { origin };
}

/** Host and path of a log, with or without a scheme. Names of signed notes have no space and no plus. */
const logAddress = /^(?:https?:\/\/)?([^\s/?#@+]+(?<!:)(?:\/[^\s/?#+]+)*\/?)$/;
/** Cosignatures encode the length in one byte. */
const maxOriginLength = 255;

/** Reads how connections are pooled, and the direct address that long sessions need. */
function pooling(env: Environment): Pick<Config, 'databasePool' | 'databaseDirectUrl'> {
  const databasePool = choice(env, 'DATABASE_POOL', ['session', 'transaction'], 'session');
  const databaseDirectUrl = databaseUrl(env, 'DATABASE_DIRECT_URL');
  if (databasePool === 'transaction' && !databaseDirectUrl) {
    throw new ConfigError(
      'DATABASE_DIRECT_URL is needed with DATABASE_POOL=transaction: the address of PostgreSQL itself, for migrations, jobs and notifications.',
    );
  }
  return { databasePool, databaseDirectUrl };
}

function productionDatabaseUrl(env: Environment): string {
  const found = databaseUrl(env, 'DATABASE_URL');
  if (found) return found;
  throw new ConfigError('DATABASE_URL is needed with NODE_ENV=production: a PostgreSQL address.');
}

function baseUrl(env: Environment, production: boolean, port: number): string {
  const text = env.BASE_URL;
  if (!text) {
    if (production) {
      throw new ConfigError(
        'BASE_URL is needed with NODE_ENV=production: the public https address of the service.',
      );
    }
    return `http://localhost:${port}`;
  }
  if (!URL.canParse(text) || !['http:', 'https:'].includes(new URL(text).protocol)) {
    throw new ConfigError(`BASE_URL is '${text}'; it must be an http or https address.`);
  }
  const { protocol, hostname, pathname } = new URL(text);
  const loopback = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  if (production && protocol !== 'https:' && !loopback) {
    throw new ConfigError(`BASE_URL is '${text}'; in production it must be https.`);
  }
  if (pathname !== '/') {
    const { origin } = new URL(text);
    throw new ConfigError(
      `BASE_URL is '${text}'; it cannot have a path. Serve the site under a host of its own, such as ${origin}.`,
    );
  }
  return text.replace(/\/+$/, '');
}

/** ADMIN_EMAIL with ADMIN_PASSWORD is an account; alone, it is where the link for the set-up goes. */
function administrator(env: Environment): Pick<Config, 'admin' | 'setupEmail'> {
  const { ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = env;
  if (!email && !password) return { admin: undefined, setupEmail: undefined };
  if (!email || !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email))
    throw new ConfigError('ADMIN_EMAIL must be an email address.');
  if (!password) return { admin: undefined, setupEmail: email };
  if (password.length < 8 || password.length > 200) {
    throw new ConfigError('ADMIN_PASSWORD must have 8 to 200 characters.');
  }
  return { admin: { email, password }, setupEmail: undefined };
}

function captcha(env: Environment): Captcha {
  const name = choice(env, 'CAPTCHA', ['off', 'altcha', ...captchaServices], 'off');
  const scores = choice(env, 'RECAPTCHA_VERSION', ['2', '3'], '2') === '3';
  if (name === 'off' || name === 'altcha') return name;
  const { CAPTCHA_SITE_KEY: siteKey, CAPTCHA_SECRET: secret } = env;
  // Without both keys the form would be unprotected, or could not be sent: refuse to start.
  if (!secret) {
    throw new ConfigError(`CAPTCHA_SECRET is needed with CAPTCHA=${name}: it judges by that key.`);
  }
  if (!siteKey) {
    throw new ConfigError(
      `CAPTCHA_SITE_KEY is needed with CAPTCHA=${name}: pages show its widget by that key.`,
    );
  }
  return { name, siteKey, secret, isScored: name === 'recaptcha' && scores };
}

const s3Names = [
  'S3_ENDPOINT',
  'S3_BUCKET',
  'S3_REGION',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
];

function s3(env: Environment): S3Settings | undefined {
  const missing = s3Names.filter((name) => !env[name]);
  if (missing.length === s3Names.length) return undefined;
  if (missing.length > 0) {
    throw new ConfigError(`${missing.join(', ')}: needed too, since others of S3_* are set.`);
  }
  const bucket = env.S3_BUCKET!;
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    throw new ConfigError(`S3_BUCKET is '${bucket}'; that is no name of a bucket.`);
  }
  return {
    endpoint: url(env, 'S3_ENDPOINT', ['http:', 'https:'])!,
    bucket,
    region: env.S3_REGION!,
    accessKeyId: env.S3_ACCESS_KEY_ID!,
    secretAccessKey: env.S3_SECRET_ACCESS_KEY!,
  };
}

/** Whether production takes it: 32 bytes or more. */
export const isLongSecret = (secret: string): boolean => Buffer.byteLength(secret) >= 32;

function productionSecret(env: Environment): string {
  const secret = env.SECRET ?? '';
  if (!isLongSecret(secret)) {
    throw new ConfigError('SECRET is needed with NODE_ENV=production: 32 bytes or more.');
  }
  return secret;
}

/**
 * Makes the folder of DATA_DIR.
 * @throws {ConfigError} if it cannot be made or written
 */
export function requireDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true });
    accessSync(dataDir, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason =
      code === 'EEXIST' || code === 'ENOTDIR'
        ? 'there is a file in its place'
        : `it cannot be written (${code})`;
    throw new ConfigError(
      `DATA_DIR is '${dataDir}', and ${reason}. Name a folder that this user can write.`,
    );
  }
}

/** The secrets that are files in DATA_DIR where no setting holds them. */
export const secretFiles = ['secret', 'payment-secret'] as const;
export type SecretFile = (typeof secretFiles)[number];

const knownSecret = (dataDir: string, name: SecretFile): string => {
  const path = join(dataDir, name);
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
};

function storedSecret(dataDir: string, name: SecretFile): string {
  const path = join(dataDir, name);
  requireDataDir(dataDir);
  if (!existsSync(path)) {
    const temporary = `${path}.${process.pid}`;
    writeFileSync(temporary, randomBytes(32).toString('base64url'), { mode: 0o600 });
    try {
      // Atomic: another process that starts at the same moment sees the temporary file or none.
      linkSync(temporary, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(temporary);
    }
  }
  return readFileSync(path, 'utf8').trim();
}
