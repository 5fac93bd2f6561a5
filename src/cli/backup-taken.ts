import { parseArgs } from 'node:util';
import { noteBackup } from '../oversight/health/health.ts';
import { runCommand, withContext } from './command.ts';

const help = `Notes that a backup was taken now, which /admin/health shows. Call it at the end of the script that takes it.

  npm run backup-taken

Settings are the service's environment variables, such as DATABASE_URL or DATA_DIR.
`;

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help) process.stdout.write(help);
  else await withContext(noteBackup);
}

if (import.meta.main) await runCommand(main);
