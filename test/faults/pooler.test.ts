import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { createTokens, createPublished, signUp } from '../support/people.ts';
import { startPgbouncer, whyNoPgbouncer } from '../support/pgbouncer.ts';
import { sharedSettings, startProcess } from '../support/process.ts';
import { startService } from '../support/service.ts';

describe('PgBouncer in transaction mode', { skip: whyNoPgbouncer() ?? false }, () => {
  it('serves, signs, searches, notifies other processes and runs jobs', async () => {
    await using service = await startService();
    await using pgbouncer = await startPgbouncer(service.databaseUrl);
    await using pooled = await startProcess({
      ...sharedSettings(service),
      DATABASE_URL: pgbouncer.url,
      DATABASE_POOL: 'transaction',
      DATABASE_DIRECT_URL: service.databaseUrl,
    });
    const creator = await signUp(service);
    const petition = await createPublished(creator);
    const tokens = await createTokens(service, 200);
    const path = `/v1/petitions/${petition.id}`;
    const call = (method: string, url: string, token?: string) =>
      fetch(pooled.origin + url, {
        method,
        ...(token && { headers: { authorization: `Bearer ${token}` } }),
      });
    const signed = await Promise.all(
      tokens.map((token) => call('POST', `${path}/signatures`, token)),
    );
    assert.deepEqual(new Set(signed.map(({ status }) => status)), new Set([201]));
    for (const url of ['/health/ready', path, `${path}/signatures`, '/', `/p/${petition.slug}`]) {
      assert.equal((await call('GET', url)).status, 200, url);
    }
    // A worker of the pooled process indexes the document.
    await eventually(async () => {
      const found = await call(
        'GET',
        `/v1/search/petitions?q=${encodeURIComponent(petition.title)}`,
      );
      const { data } = (await found.json()) as { data: { id: string }[] };
      return data.some(({ id }) => id === petition.id);
    }, 20_000);
    const [row] = await service.ctx.db`
      select signature_count from petitions where id = ${petition.id}`;
    assert.equal(row!.signature_count, 200);
    assert.equal(await pooled.end('SIGTERM'), 0);
  });

  it('is reported at the start without DATABASE_POOL=transaction', async () => {
    await using service = await startService();
    await using pgbouncer = await startPgbouncer(service.databaseUrl);
    await assert.rejects(
      startProcess({ ...sharedSettings(service), DATABASE_URL: pgbouncer.url }),
      /DATABASE_URL is the address of a connection pooler: set DATABASE_POOL=transaction/,
    );
  });
});
