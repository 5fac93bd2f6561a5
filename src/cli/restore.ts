import { randomBytes } from 'node:crypto';
import { withSecretFiles } from '../config-files.ts';
import { readConfig, requireDataDir } from '../config.ts';
import { createBlobs } from '../context.ts';
import { reachDatabase } from '../database.ts';
import { openPool } from '../platform/db.ts';
import { Keys } from '../platform/keys.ts';
import { readArchive, readKey } from './backup/archive.ts';
import {
  readOverview,
  requireEmpty,
  restoreDatabase,
  restoreFiles,
  restoreSecrets,
} from './backup/restore.ts';
import { progressOn, readFileArgument, runCommand } from './command.ts';
import { verify } from './verify.ts';
import { linesOf } from './verify/report.ts';

const help = `Restores a backup that npm run backup wrote, into an empty database, and verifies it.

  npm run restore -- FILE

The file is read through first; the rows are then restored all or not at all. BACKUP_KEY opens an encrypted one. SECRET must be
that of the backup; where it was a file, the backup holds it. Settings are the service's environment variables, such
as DATABASE_URL or DATA_DIR, and say where to.

Exit code 0: restored, and all checks of npm run verify hold. 1: not restored, or something is wrong.
`;

async function main(args: string[]): Promise<void> {
  const path = readFileArgument(args, { command: 'restore', help });
  if (path === undefined) return;
  const env = withSecretFiles(process.env);
  const config = readConfig(env, { makesSecrets: false });
  const progress = progressOn(process.stderr);
  const key = await readKey(config.backupKey);
  const entries = () => readArchive(path, key);
  const overview = await readOverview(entries(), progress);
  requireDataDir(config.dataDir);
  await using stack = new AsyncDisposableStack();
  const { directUrl } = stack.use(await reachDatabase(config));
  await requireEmpty(directUrl, overview);
  restoreSecrets(overview, config.dataDir, env);
  const { secret } = readConfig(env, { makesSecrets: false });
  const blobs = stack.adopt(
    createBlobs(config, keysOfNothing(), () => new Date()),
    (store) => store.close(),
  );
  // Before the rows, since it can be done again.
  const files = await restoreFiles(blobs, entries(), progress);
  await restoreDatabase(directUrl, overview, { entries: entries(), secret, progress });
  const db = stack.adopt(
    openPool(directUrl, { name: 'restore', max: 2, statementTimeoutMs: 0 }),
    (pool) => pool.end(),
  );
  const rows = Object.values(overview.end.rows).reduce((sum, count) => sum + count, 0);
  process.stdout.write(
    `Restored the backup of ${overview.manifest.createdAt}: ${rows} rows, ${files} files.\n`,
  );
  const report = await verify(db, null, progress);
  process.stdout.write(`${linesOf(report).join('\n')}\n`);
  if (report.verdict !== 'holds') process.exitCode = 1;
}

/** Keys for a store that makes no upload addresses: those of the instance are not restored yet. */
function keysOfNothing(): Keys {
  const key = () => randomBytes(32);
  return new Keys({ root: key(), mailbox: key(), log: key() });
}

if (import.meta.main) await runCommand(main);
