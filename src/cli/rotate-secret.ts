import { parseArgs } from 'node:util';
import { withSecretFiles } from '../config-files.ts';
import { isLongSecret, readConfig } from '../config.ts';
import { openDatabase } from '../database.ts';
import { openPool } from '../platform/db.ts';
import { sealAgain } from '../platform/sealed-keys.ts';
import { CommandError, runCommand } from './command.ts';

const help = `Changes SECRET: seals the keys of the database by the new one.

  OLD_SECRET=… SECRET=… npm run rotate-secret
  OLD_SECRET_FILE=… SECRET_FILE=… npm run rotate-secret

Tokens, API keys, links and counts stay valid. Running processes go on with the keys in their memory;
restart each with the new SECRET. Settings are the service's environment variables, such as DATABASE_URL
or DATA_DIR.
`;

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const env = withSecretFiles(process.env);
  const { OLD_SECRET: old, SECRET } = env;
  if (!old || !SECRET) {
    throw new CommandError('Set OLD_SECRET to the present secret, and SECRET to the new one.');
  }
  if (old === SECRET) throw new CommandError('OLD_SECRET and SECRET are the same.');
  if (!isLongSecret(SECRET)) {
    throw new CommandError(
      'SECRET must have 32 bytes or more: production refuses a shorter one. `openssl rand -base64 32` makes one.',
    );
  }
  const config = { ...readConfig(env), migrate: false };
  await using database = await openDatabase(config);
  const url = config.databaseDirectUrl ?? database.url;
  const db = openPool(url, { name: 'rotate-secret', max: 1 });
  try {
    const isChanged = await sealAgain(db, { old, new: config.secret });
    process.stdout.write(
      isChanged
        ? 'The keys are sealed by the new SECRET. Restart each process with it.\n'
        : 'The keys are sealed by this SECRET already.\n',
    );
  } finally {
    await db.end();
  }
}

if (import.meta.main) await runCommand(main);
