import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { startMailServer } from '../../test/support/mail-server.ts';

/** Runs the command. Returns what it prints, whether it fails or not. */
async function run(args: string[], SMTP_URL: string): Promise<{ code: number; output: string }> {
  const env = { ...process.env, SMTP_URL, BASE_URL: 'https://petitions.test', SECRET: 'any' };
  try {
    const command = [new URL('test-mail.ts', import.meta.url).pathname, ...args];
    const { stdout } = await promisify(execFile)(process.execPath, command, { env });
    return { code: 0, output: stdout };
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string };
    return { code, output: stderr };
  }
}

describe('the command test-mail', () => {
  it('sends a mail and prints what the server said', async () => {
    await using server = await startMailServer({ end: ['250 2.0.0 queued as 4711'] });
    const { code, output } = await run(['ada@example.org'], server.url);
    assert.equal(output, 'The mail server took the mail: 250 2.0.0 queued as 4711\n');
    assert.equal(code, 0);
    assert.deepEqual(server.envelopes, [
      { from: 'no-reply@petitions.test', to: 'ada@example.org' },
    ]);
  });

  it('fails with the command and the answer of the server', async () => {
    await using server = await startMailServer({ mail: ['530 5.7.0 authentication required'] });
    const { code, output } = await run(['ada@example.org'], server.url);
    assert.equal(code, 1);
    assert.match(output, /MAIL FROM: 530 5\.7\.0 authentication required/);
  });

  it('needs an address', async () => {
    for (const args of [[], ['ada'], ['ada@example.org', 'grace@example.org']]) {
      const { code, output } = await run(args, 'smtp://127.0.0.1:1');
      assert.equal(code, 1);
      assert.match(output, /Name the address/);
    }
  });
});
