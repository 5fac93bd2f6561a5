import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { manyPeople, published, type Somebody } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

/** Far more than fits into the buffers between service and client. */
const signatureCount = 30_000;

describe('exports of many signatures', () => {
  let service: Service;
  let creator: Somebody;
  let signer: Somebody;
  let petition: { id: string };
  before(async () => {
    service = await startService({ log: [] });
    [creator, signer] = (await manyPeople(service, 2)) as [Somebody, Somebody];
    petition = await published(creator);
    await service.ctx.db`
      insert into signatures (id, petition_id, version, is_anonymous, comment, created_at)
      select overlay(gen_random_uuid()::text placing
          overlay(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') placing '-' from 9 for 0)
          from 1 for 13)::uuid,
        ${petition.id}, 1, true, repeat('One of many. ', 35), at
      from (select now() - n * interval '1 second' as at from generate_series(1, ${signatureCount}) n) t`;
  });
  after(() => service[Symbol.asyncDispose]());

  /** Starts an export and reads only its headers. */
  const open = async (format: string): Promise<IncomingMessage> => {
    const url = `${service.origin}/v1/petitions/${petition.id}/signatures/export?format=${format}`;
    const headers = { authorization: `Bearer ${creator.token}` };
    const request = httpRequest(url, { headers, agent: false }).end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    for (const stream of [request, response]) stream.on('error', () => {});
    return response;
  };

  /** Returns the start times of the last statements of exports, and whether any is in a transaction. */
  const statements = async () => {
    const rows = await service.ctx.pools.main`
      select query_start, xact_start from pg_stat_activity
      where application_name = 'petitions exports' and datname = current_database()
      order by pid`;
    return {
      last: JSON.stringify(rows.map((row) => row.query_start)),
      inTransaction: rows.some((row) => row.xact_start !== null),
    };
  };

  /** Waits until the service no longer reads rows, since the client reads nothing. */
  const waitUntilStalled = async () => {
    let previous = '';
    await eventually(async () => {
      const { last, inTransaction } = await statements();
      const isStalled = last === previous && !inTransaction;
      previous = last;
      // Longer than the pause of an export between two pages.
      await new Promise((resolve) => setTimeout(resolve, 250));
      return isStalled;
    }, 15_000);
  };

  it('contain each once, while another is given and the client is slow', async () => {
    const response = await open('json');
    await waitUntilStalled();
    const sign = await signer.api.post(`/v1/petitions/${petition.id}/signatures`);
    assert.equal(sign.status, 201);
    const { data, pagination } = JSON.parse(await text(response));
    assert.deepEqual(pagination, { next_cursor: null, has_more: false });
    const ids = data.map(({ id }: { id: string }) => id);
    assert.equal(new Set(ids).size, ids.length);
    assert.equal(ids.length, signatureCount + 1);
    assert.deepEqual(ids, ids.toSorted());
    assert.ok(ids.includes(sign.body.data.id));
  });

  it('abort if the database fails, and continue after the last row', async () => {
    const db = service.ctx.pools.main;
    const response = await open('csv');
    await waitUntilStalled();
    // A slow client holds no lock.
    await db.begin(async (tx) => {
      await tx`set local lock_timeout = '2s'`;
      await tx`alter table signatures rename to signatures_gone`;
    });
    let part = '';
    await assert.rejects(async () => {
      for await (const chunk of response.setEncoding('utf8')) part += chunk;
    });
    assert.ok(!response.complete);
    assert.equal((await open('csv')).statusCode, 500, 'before anything is sent it is a problem');
    await db`alter table signatures_gone rename to signatures`;

    const rows = part.split('\r\n').slice(1, -1);
    assert.ok(rows.length > 0 && rows.length < signatureCount);
    const last = rows.at(-1)!.split(',', 1)[0]!;
    const path = `/v1/petitions/${petition.id}/signatures/export?format=csv&after=${last}`;
    const { body } = await creator.api.get(path);
    assert.equal(rows.length + body.split('\r\n').length - 2, signatureCount + 1);
  });
});
