import { tmpdir } from 'node:os';
import { readConfig } from '../../src/config.ts';

/** Settings of a service under load: production, behind one proxy, with rate limits. */
export const serviceConfig = (databaseUrl: string, smtpUrl?: string) =>
  readConfig({
    NODE_ENV: 'production',
    MAIL: smtpUrl ? 'smtp' : 'files',
    SMTP_URL: smtpUrl,
    ROLE: 'web',
    BASE_URL: 'http://localhost:3000',
    DATABASE_URL: databaseUrl,
    DATA_DIR: tmpdir(),
    SECRET: 'a secret that only benchmarks know, of more than 32 bytes',
    PAYMENT_SECRET: 'another secret that only benchmarks know',
    TRUST_PROXY: '127.0.0.1',
    LOG_LEVEL: 'error',
  });
