import assert from 'node:assert/strict';
import { runCli, type CommandResult } from './command.ts';

/** Runs `npm run verify` with these settings. */
export const runVerify = (
  settings: { DATABASE_URL: string } | { DATA_DIR: string },
  ...args: string[]
): Promise<CommandResult> => runCli('verify', args, settings);

/** Fails with the report of `npm run verify` if a database is inconsistent. */
export async function assertVerified(databaseUrl: string): Promise<void> {
  const { code, stdout, stderr } = await runVerify({ DATABASE_URL: databaseUrl });
  assert.equal(code, 0, `npm run verify ended with ${code}:\n${stderr}${stdout}`);
}
