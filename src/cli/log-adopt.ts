import { parseArgs } from 'node:util';
import { adoptLog, AdoptionError, type Adoption } from '../reach/transparency-log/adopting.ts';
import { CommandError, runCommand, withContext } from './command.ts';

const help = `Makes the public log that is in the database the log of this instance.

  npm run log-adopt

A database that was copied, moved or restored publishes nothing under its log's name until this is run, so that
nobody sees two histories. With the same LOG_ORIGIN the log goes on, once its files are there: only where no other
instance writes it, and nothing was published that is newer than the database. After a loss, with a backup of a service
that ran on, it would have two histories. With another LOG_ORIGIN, an empty log with a new key begins. Settings are the
service's environment variables.
`;

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { help: { type: 'boolean', short: 'h' } } });
  process.stdout.write(values.help ? help : `${await adopt()}\n`);
}

async function adopt(): Promise<string> {
  try {
    // The default name follows the address of the site: that alone must not end a log.
    const mayReplace = Boolean(process.env.LOG_ORIGIN);
    return sentenceOf(await withContext((ctx) => adoptLog(ctx, { mayReplace })));
  } catch (error) {
    if (error instanceof AdoptionError) throw new CommandError(error.message);
    throw error;
  }
}

const sentenceOf = (adoption: Adoption): string =>
  adoption.outcome === 'replaced'
    ? `A new log begins. That of ${adoption.before} has ended in this database.`
    : sentences[adoption.outcome];

const sentences = {
  continued: 'The log goes on here.',
  own: 'The log is that of this instance already.',
  none: 'There is no log yet: it begins by itself.',
  off: 'LOG is off: there is nothing to do.',
};

if (import.meta.main) await runCommand(main);
