import { existsSync } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { withSecretFiles } from '../config-files.ts';
import { readConfig } from '../config.ts';
import { createBlobs } from '../context.ts';
import { noteBackup } from '../oversight/health/health.ts';
import { openPool } from '../platform/db.ts';
import { openKeys } from '../platform/sealed-keys.ts';
import { openTarget, readKey, writeArchive } from './backup/archive.ts';
import { writeBackup, type Source, type Summary } from './backup/write.ts';
import {
  CommandError,
  progressOn,
  reachExisting,
  readFileArgument,
  runCommand,
} from './command.ts';

const help = `Writes a backup while the service runs: the database, the pictures, the published log, and the
secrets that are files.

  npm run backup -- FILE
  npm run --silent backup -- -     writes to standard output
  npm run backup -- --unencrypted FILE

It is an archive of tar, compressed by gzip. With BACKUP_KEY, it is encrypted by age (https://age-encryption.org): the setting
is a passphrase, or a key that age-keygen makes; with a public one (age1…) this machine cannot read its backups.
In production it is needed, unless --unencrypted says that you protect the file by other means.
npm run restore brings it back, into any PostgreSQL that the service takes. What is a setting here, such as SECRET, is
not part of it. Settings are the service's environment variables, such as DATABASE_URL or DATA_DIR.
`;

const unencryptedFlag = '--unencrypted';
const keyIsMissing = `BACKUP_KEY is not set: the backup would have secrets and the data of people unencrypted. Set it, or add
${unencryptedFlag} if you protect the file by other means. Nothing was written.`;

async function main(args: string[]): Promise<void> {
  const isUnencrypted = args.includes(unencryptedFlag);
  const others = args.filter((arg) => arg !== unencryptedFlag);
  const path = readFileArgument(others, { command: 'backup', help });
  if (path === undefined) return;
  const env = withSecretFiles(process.env);
  const config = readConfig(env, { makesSecrets: false });
  const backupKey = await readKey(config.backupKey);
  if (config.production && !backupKey && !isUnencrypted) throw new CommandError(keyIsMissing);
  if (path !== '-' && existsSync(path)) {
    throw new CommandError(`${path} exists: name another file. Nothing was written.`);
  }
  await using stack = new AsyncDisposableStack();
  const { directUrl } = stack.use(await reachExisting(config));
  const db = stack.adopt(openPool(directUrl, { name: 'backup', max: 1 }), (pool) => pool.end());
  const keys = await openKeys(db, config.secret);
  const blobs = stack.adopt(
    createBlobs(config, keys, () => new Date()),
    (store) => store.close(),
  );
  const { secret, paymentSecret, dataDir } = config;
  const secrets = { secret, 'payment-secret': paymentSecret };
  const source = { databaseUrl: directUrl, db, blobs, dataDir, secrets };
  const summary = await writeTo(path, source, backupKey);
  await noteBackup({ db }).catch((error: unknown) => {
    process.stderr.write(`The time of the backup could not be noted: ${String(error)}\n`);
  });
  const settings = ['SECRET', 'PAYMENT_SECRET'].filter((name) => env[name]);
  const size = path === '-' ? '' : `, ${((await stat(path)).size / 1e6).toFixed(1)} MB`;
  process.stderr.write(reportOf(summary, { size, isEncrypted: Boolean(backupKey), settings }));
}

/** The file has its name once it is whole. */
async function writeTo(path: string, source: Source, key: string | undefined): Promise<Summary> {
  const unfinished = `${path}.${process.pid}.part`;
  const archive = writeArchive(path === '-' ? process.stdout : openTarget(unfinished), key);
  const progress = progressOn(process.stderr);
  try {
    const summary = await writeBackup(source, archive, progress);
    await archive.end();
    if (path !== '-') await rename(unfinished, path);
    return summary;
  } catch (error) {
    await archive.abort(error);
    if (path !== '-') await rm(unfinished, { force: true });
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (!syscall) throw error;
    throw new CommandError(`${path} cannot be written: ${message} (${code}).`);
  } finally {
    progress.clear();
  }
}

function reportOf(
  { tables, rows, files, logFiles, missingFiles }: Summary,
  { size, isEncrypted, settings }: { size: string; isEncrypted: boolean; settings: string[] },
): string {
  const lines = [
    `Wrote ${tables} tables with ${rows} rows, and ${files} pictures${size}, ${isEncrypted ? 'encrypted' : 'not encrypted (BACKUP_KEY is not set)'}.`,
  ];
  if (logFiles > 0) lines.push(`${logFiles} files of the public log are in it, too.`);
  if (missingFiles > 0) lines.push(`${missingFiles} files that the database names are not there.`);
  if (settings.length > 0) {
    const are = settings.length > 1 ? 'are settings' : 'is a setting';
    lines.push(`${settings.join(' and ')} ${are} here, and not part of it: keep that too.`);
  }
  return `${lines.join('\n')}\n`;
}

if (import.meta.main) await runCommand(main);
