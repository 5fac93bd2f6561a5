import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Verification {
  code: number;
  stdout: string;
  stderr: string;
}

const command = fileURLToPath(new URL('../../src/cli/verify.ts', import.meta.url));

/** Runs `npm run verify` with these settings. */
export function runVerify(
  settings: { DATABASE_URL: string } | { DATA_DIR: string },
  ...args: string[]
): Promise<Verification> {
  // Unused, but without them the command would generate and store secrets.
  const secrets = { SECRET: 'not used', PAYMENT_SECRET: 'not used' };
  const env = { PATH: process.env.PATH, ...secrets, ...settings };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [command, ...args],
      { env, maxBuffer: 2 ** 26 },
      (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr });
      },
    );
  });
}

/** Fails with the report of `npm run verify` if a database is inconsistent. */
export async function assertVerified(databaseUrl: string): Promise<void> {
  const { code, stdout, stderr } = await runVerify({ DATABASE_URL: databaseUrl });
  assert.equal(code, 0, `npm run verify ended with ${code}:\n${stderr}${stdout}`);
}
