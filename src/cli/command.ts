import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ConfigError, readConfig, type Config } from '../config.ts';
import { createContext } from '../context.ts';
import { openDatabase, reachDatabase, type Addresses, type Location } from '../database.ts';
import type { Context } from '../platform/context.ts';
import { openPool } from '../platform/db.ts';
import { readInstance } from '../platform/instance.ts';
import { MigrationError } from '../platform/migrate.ts';

/** An error that the user of the command can correct. Printed without a stack. */
export class CommandError extends Error {
  override name = 'CommandError';
}

/** Runs a command with its arguments. An error sets the exit code 1. */
export async function runCommand(command: (args: string[]) => Promise<void>): Promise<void> {
  try {
    await command(process.argv.slice(2));
  } catch (error) {
    const { name, message, stack, code } = error as NodeJS.ErrnoException;
    const isUserError = [
      'CommandError',
      'SecretError',
      ConfigError.name,
      MigrationError.name,
    ].includes(name);
    const output = isUserError || code?.startsWith('ERR_PARSE_ARGS') ? message : stack;
    process.stderr.write(`${output}\n`);
    process.exitCode = 1;
  }
}

/**
 * Reads the arguments of a command that takes one file, such as `backup`. Prints the help and returns undefined for --help.
 * @throws {CommandError} unless exactly one file is named
 */
export function readFileArgument(
  args: string[],
  { command, help }: { command: string; help: string },
): string | undefined {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    process.stdout.write(help);
    return undefined;
  }
  const [path] = positionals;
  if (path === undefined || positionals.length > 1) {
    throw new CommandError(`Name one file: npm run ${command} -- FILE`);
  }
  return path;
}

/**
 * Does the work on the configured database, whether the service runs or not. Joins or starts an embedded one. Waits a
 * minute for one that is away, unless another time is given.
 */
export async function withContext<T>(
  work: (ctx: Context) => Promise<T>,
  config: Config = readConfig(process.env),
  databaseTimeoutMs?: number,
): Promise<T> {
  await using database = await openDatabase(config, undefined, { timeoutMs: databaseTimeoutMs });
  // Standard output is for the command, so the log only has errors.
  const quiet = { ...config, logLevel: 'error', baseUrl: await addressOf(config, database.url) };
  await using ctx = await createContext(quiet, database.url);
  return await work(ctx);
}

/**
 * Returns the public address of the service. Where no setting says it, that is the one of the process that started last on
 * the database, which may have been started with another BASE_URL or PORT.
 */
async function addressOf({ baseUrl }: Config, databaseUrl: string): Promise<string> {
  if (process.env.BASE_URL || process.env.PORT) return baseUrl;
  const db = openPool(databaseUrl, { name: 'command', max: 1 });
  try {
    return (await readInstance(db))?.baseUrl ?? baseUrl;
  } finally {
    await db.end();
  }
}

/**
 * Joins or starts the configured database, without migrating it.
 * @throws {CommandError} if there is none
 */
export async function reachExisting(config: Location): Promise<Addresses> {
  const { databaseUrl, dataDir } = config;
  if (!databaseUrl && !existsSync(join(dataDir, 'postgres'))) {
    throw new CommandError(`DATABASE_URL is not set, and there is no database in ${dataDir}.`);
  }
  return reachDatabase(config);
}

/** Shows the progress of a command. */
export interface Progress {
  show(text: string): void;
  /** Clears the line for other output. */
  clear(): void;
}

/** Shows progress on a terminal as one line that changes, otherwise as a line every two seconds. */
export function progressOn(stream: NodeJS.WriteStream): Progress {
  let last = Date.now();
  return {
    show(text) {
      if (stream.isTTY) {
        stream.write(`\r\u001B[K${text}`);
      } else if (Date.now() - last >= 2000) {
        last = Date.now();
        stream.write(`${text}\n`);
      }
    },
    clear() {
      if (stream.isTTY) stream.write('\r\u001B[K');
    },
  };
}
