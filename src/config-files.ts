import { readFileSync } from 'node:fs';
import { ConfigError, type Environment } from './config-values.ts';

/** Settings that are secrets, or may contain one. NAME_FILE names a file with the value of NAME. */
export const secretNames = [
  'ADMIN_PASSWORD',
  'BACKUP_KEY',
  'CAPTCHA_SECRET',
  'DATABASE_DIRECT_URL',
  'DATABASE_REPLICA_URL',
  'DATABASE_URL',
  'DKIM_KEY',
  'MAIL_BOUNCE_TOKEN',
  'METRICS_TOKEN',
  'OLD_SECRET',
  'PAYMENT_SECRET',
  'REDIS_URL',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'SECRET',
  'SMTP_BULK_URL',
  'SMTP_URL',
] as const;

/**
 * Returns the environment with the content of each file that NAME_FILE names as NAME, without line breaks at its end.
 * @throws {ConfigError} if both are set, or a file is empty or cannot be read; the message does not repeat the content
 */
export function withSecretFiles(env: Environment): Environment {
  const found = { ...env };
  for (const name of secretNames) {
    const fileName = `${name}_FILE`;
    const path = env[fileName];
    delete found[fileName];
    if (!path) continue;
    if (env[name]) throw new ConfigError(`${name} and ${fileName} are both set; set one.`);
    found[name] = readSecret(fileName, path);
  }
  return found;
}

function readSecret(fileName: string, path: string): string {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`${fileName} is '${path}', which cannot be read: ${code}.`);
  }
  const secret = content.replace(/[\r\n]+$/, '');
  if (secret === '') throw new ConfigError(`${fileName} is '${path}', which is empty.`);
  return secret;
}
