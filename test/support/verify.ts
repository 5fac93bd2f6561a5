import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';

/** Holds the database against all invariants that operators check with `npm run verify`. */
export async function assertVerified(databaseUrl: string): Promise<void> {
  const child = spawn(process.execPath, ['src/cli/verify.ts'], {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  assert.equal(code, 0, `verify exited with ${code}:\n${output}`);
}
