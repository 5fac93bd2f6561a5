import { ConfigError, readConfig, type Config } from '../config.ts';
import { createContext } from '../context.ts';
import { openDatabase } from '../database.ts';
import type { Context } from '../platform/context.ts';
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
 * Does the work on the configured database, whether the service runs or not. Joins or starts an embedded one. Waits a
 * minute for one that is away, unless another time is given.
 */
export async function withContext<T>(
  work: (ctx: Context) => Promise<T>,
  config: Config = readConfig(process.env),
  databaseTimeoutMs?: number,
): Promise<T> {
  await using database = await openDatabase(config, undefined, databaseTimeoutMs);
  // Standard output is for the command, so the log only has errors.
  await using ctx = await createContext({ ...config, logLevel: 'error' }, database.url);
  return await work(ctx);
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
