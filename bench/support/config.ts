import { tmpdir } from 'node:os';
import { readConfig } from '../../src/config.ts';

export interface ConfigOptions {
  /** A mail server; by default mails are files. */
  smtpUrl?: string | undefined;
  /** Folder of the service's files, which benchmarks share by default. */
  dataDir?: string | undefined;
  /** Whether there is a public log; off by default, since logs of several databases cannot share a folder. */
  hasLog?: boolean | undefined;
}

/** Settings of a service under load: production, behind one proxy, with rate limits. */
export const serviceConfig = (
  databaseUrl: string,
  { smtpUrl, dataDir = tmpdir(), hasLog = false }: ConfigOptions = {},
) =>
  readConfig({
    NODE_ENV: 'production',
    MAIL: smtpUrl ? 'smtp' : 'files',
    SMTP_URL: smtpUrl,
    ROLE: 'web',
    BASE_URL: 'http://localhost:3000',
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    LOG: hasLog ? 'on' : 'off',
    SECRET: 'a secret that only benchmarks know, of more than 32 bytes',
    PAYMENT_SECRET: 'another secret that only benchmarks know',
    TRUST_PROXY: '127.0.0.1',
    LOG_LEVEL: 'error',
  });
