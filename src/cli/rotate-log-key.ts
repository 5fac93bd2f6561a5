import { parseArgs } from 'node:util';
import { addLogKey } from '../platform/sealed-keys.ts';
import { runCommand, withContext } from './command.ts';

const help = `Makes a new key for signing the public log.

  npm run rotate-log-key

The checkpoint is signed by it within seconds. The old key goes on signing beside it for 90 days, for verifiers that know only
that one; GET /v1/log names both. Settings are the service's environment variables, such as DATABASE_URL or DATA_DIR.
`;

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  await withContext((ctx) => addLogKey(ctx.pools.main, ctx.config.secret));
  process.stdout.write('The log has a new key. GET /v1/log names it.\n');
}

if (import.meta.main) await runCommand(main);
