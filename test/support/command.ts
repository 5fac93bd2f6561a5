import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface CommandResult {
  /** -1 if a signal ended it. */
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command of `src/cli` with these settings alone: `verify`, `backup`. */
export function runCli(
  name: string,
  args: string[],
  settings: Partial<Record<string, string>>,
): Promise<CommandResult> {
  const script = fileURLToPath(new URL(`../../src/cli/${name}.ts`, import.meta.url));
  const env = { PATH: process.env.PATH, ...settings };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [script, ...args],
      { env, maxBuffer: 2 ** 26 },
      (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr });
      },
    );
  });
}
