import { parseArgs } from 'node:util';
import { offerSetup } from '../oversight/setup/setup.ts';
import { CommandError, runCommand, withContext } from './command.ts';
import { readConfig } from '../config.ts';

const help = `Prints the link by which a new instance is set up in the browser.

  npm run setup-link

It is the one that the service printed at its start, or another one after 24 hours. There is none once the instance has an
administrator. Settings are the service's environment variables, such as DATABASE_URL, BASE_URL or DATA_DIR.
`;

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const config = { ...readConfig(process.env), setupEmail: undefined };
  const link = await withContext(offerSetup, config);
  if (!link) throw new CommandError('There is none: the instance is set up, or older than this.');
  process.stdout.write(`${link}\n`);
}

if (import.meta.main) await runCommand(main);
