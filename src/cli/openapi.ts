import { parseArgs } from 'node:util';
import { createApp } from '../app.ts';
import { readConfig } from '../config.ts';
import { createContext } from '../context.ts';
import { Keys } from '../platform/keys.ts';
import { runCommand } from './command.ts';

const help = `Prints the description of the API in OpenAPI 3.1, as GET /openapi.json answers. Needs no database.

  npm run --silent openapi

BASE_URL is the address of the service in it. Other settings have no effect.
`;

/** Describes the API of a service with default settings. */
export async function describeDefaults(baseUrl: string | undefined): Promise<object> {
  // Given secrets, so that none are generated and stored.
  const secret = 'the description holds nothing that is keyed';
  const config = readConfig({
    SECRET: secret,
    PAYMENT_SECRET: secret,
    LOG_LEVEL: 'error',
    ...(baseUrl && { BASE_URL: baseUrl }),
  });
  const key = Buffer.from(secret);
  const keys = new Keys({ root: key, mailbox: key, log: key });
  await using ctx = await createContext(config, 'postgres://localhost/', { keys });
  return createApp(ctx).describe();
}

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const description = await describeDefaults(process.env.BASE_URL);
  process.stdout.write(`${JSON.stringify(description, undefined, 2)}\n`);
}

if (import.meta.main) await runCommand(main);
