import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { postfixReport } from '../../test/support/delivery-reports.ts';
import { startService, type Service } from '../../test/support/service.ts';
import { createMailKey } from '../platform/mail-keys.ts';
import { mailboxHash } from '../platform/mail-suppressions.ts';

describe('the command mail-in', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service[Symbol.asyncDispose]());

  /** Runs the command with a mail on standard input. Returns its exit code. */
  const run = async (mail: string | Buffer, env: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [new URL('mail-in.ts', import.meta.url).pathname], {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: {
        ...process.env,
        NODE_ENV: 'test',
        DATABASE_URL: service.databaseUrl,
        DATA_DIR: service.ctx.config.dataDir,
        SECRET: service.ctx.config.secret,
        BASE_URL: service.ctx.config.baseUrl,
        ...env,
      },
    });
    // The command reads no more than it needs.
    child.stdin.on('error', () => {});
    child.stdin.end(mail);
    const [code] = await once(child, 'exit');
    return code as number;
  };
  const reportFor = (to: string) => {
    const { keys } = service.ctx;
    const key = createMailKey(keys, mailboxHash(keys, to), new Date());
    return postfixReport({
      to,
      sender: `bounces+${key}@petitions.test`,
      messageId: '<x@petitions.test>',
    });
  };
  const silenced = () =>
    service.ctx.db.value<number>`select count(*)::integer from mail_suppressions`;

  it('takes a report and ends with 0, also for a forged one', async () => {
    assert.equal(await run(reportFor('ada@example.org')), 0);
    assert.equal(await silenced(), 1);
    const forged = { to: 'grace@example.org', sender: 'a@b.example', messageId: '<c@d.example>' };
    assert.equal(await run(postfixReport(forged)), 0);
    assert.equal(await silenced(), 1);
  });

  it('ends with 65 for what is no report, and with 75 if the database is away', async () => {
    assert.equal(await run('Subject: Hello\r\n\r\nA letter.\r\n'), 65);
    assert.equal(await run(''), 65);
    assert.equal(await run(Buffer.alloc(1_100_000, 'a')), 65);
    const away = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
    assert.equal(await run(reportFor('ada@example.org'), away), 75);
    assert.equal(await run(reportFor('ada@example.org'), { MAIL_BOUNCE_TOKEN: 'short' }), 75);
  });
});
