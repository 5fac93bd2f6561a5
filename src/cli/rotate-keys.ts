import { parseArgs } from 'node:util';
import { createSigningKey } from '../identity/sessions/signing-keys.ts';
import { runCommand, withContext } from './command.ts';

const help = `Makes a new key for signing tokens, and prints its id (kid).

  npm run rotate-keys

Running processes sign with it within ten seconds. Tokens that older keys signed stay valid until
they expire. Settings are the service's environment variables, such as DATABASE_URL or DATA_DIR.
`;

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { help: { type: 'boolean', short: 'h' } } });
  const output = values.help
    ? help
    : `${await withContext((ctx) => createSigningKey(ctx, ctx.db))}\n`;
  process.stdout.write(output);
}

if (import.meta.main) await runCommand(main);
