import { ConfigError, readConfig, type Config } from '../config.ts';
import { createContext } from '../context.ts';
import { openDatabase } from '../database.ts';
import type { Context } from '../platform/context.ts';

/** A mistake of whoever runs the command, or a refusal: told in one line, without a stack. */
export class CommandError extends Error {
  override name = 'CommandError';
}

/** Runs a command with its arguments. A failure makes the exit code 1. */
export async function runCommand(command: (args: string[]) => Promise<void>): Promise<void> {
  try {
    await command(process.argv.slice(2));
  } catch (error) {
    const { name, message, stack, code } = error as NodeJS.ErrnoException;
    const ofUser = ['CommandError', ConfigError.name].includes(name);
    const told = ofUser || code?.startsWith('ERR_PARSE_ARGS') ? message : stack;
    process.stderr.write(`${told}\n`);
    process.exitCode = 1;
  }
}

/**
 * Does the work on the database that the settings name, beside the service or without it: an embedded
 * one is joined where it runs, and started where it does not.
 */
export async function withContext<T>(
  work: (ctx: Context) => Promise<T>,
  config: Config = readConfig(process.env),
): Promise<T> {
  await using database = await openDatabase(config);
  // What the command says is on standard output, so the log keeps to faults.
  await using ctx = createContext({ ...config, logLevel: 'error' }, database.url);
  return await work(ctx);
}

/** Where a command shows how far it is. */
export interface Progress {
  show(text: string): void;
  /** Makes room for other output. */
  clear(): void;
}

/** On a terminal one line that changes, else a line every two seconds. */
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
