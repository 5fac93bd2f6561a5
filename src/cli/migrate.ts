import { parseArgs } from 'node:util';
import { readConfig } from '../config.ts';
import { createLogger } from '../context.ts';
import { openDatabase } from '../database.ts';
import { runCommand } from './command.ts';

const help = `Migrates the database while the service runs, and prints the migrations that it applied.

  npm run migrate

It waits for another process that migrates, and tries again while a long transaction holds a lock that
it needs. If it is interrupted, run it again. Settings are the service's environment variables, such as
DATABASE_URL or DATA_DIR; MIGRATE has no effect.
`;

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const config = { ...readConfig(process.env), migrate: true };
  await using database = await openDatabase(config, createLogger(config, process.stderr));
  const lines = database.migrations.map((name) => `applied ${name}`);
  process.stdout.write(`${lines.join('\n') || 'The database has all migrations.'}\n`);
}

if (import.meta.main) await runCommand(main);
