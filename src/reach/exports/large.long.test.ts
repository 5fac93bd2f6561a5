import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { createUsers, createPublished, type TestUser } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

/** Far more than fits into the buffers between service and client. */
const signatureCount = 30_000;

describe('exports of many signatures', () => {
  let service: Service;
  let creator: TestUser;
  let signer: TestUser;
  let petition: { id: string };
  before(async () => {
    service = await startService({ log: [] });
    [creator, signer] = (await createUsers(service, 2)) as [TestUser, TestUser];
    petition = await createPublished(creator);
    await service.ctx.db`
      insert into signatures (id, petition_id, version, is_anonymous, comment, created_at)
      select overlay(gen_random_uuid()::text placing
          overlay(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') placing '-' from 9 for 0)
          from 1 for 13)::uuid,
        ${petition.id}, 1, true, repeat('One of many. ', 35), at
      from (select now() - n * interval '1 second' as at from generate_series(1, ${signatureCount}) n) t`;
  });
  after(() => service[Symbol.asyncDispose]());

  /** The response that the server, which runs in this process, began last. */
  let lastSent: ServerResponse;
  const onResponse = (message: unknown) => {
    lastSent = (message as { response: ServerResponse }).response;
  };
  before(() => subscribe('http.server.response.created', onResponse));
  after(() => unsubscribe('http.server.response.created', onResponse));

  /** An export of which nothing but its head has been read. */
  const open = async (format: string): Promise<IncomingMessage> => {
    const url = `${service.origin}/v1/petitions/${petition.id}/signatures/export?format=${format}`;
    const headers = { authorization: `Bearer ${creator.token}` };
    const request = httpRequest(url, { headers, agent: false }).end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    for (const stream of [request, response]) stream.on('error', () => {});
    return response;
  };

  const inTransaction = async () => {
    const rows = await service.ctx.pools.main`
      select from pg_stat_activity
      where application_name = 'petitions exports' and datname = current_database()
        and xact_start is not null`;
    return rows.length > 0;
  };

  /** Waits until all buffers between the export and its client, which reads nothing, are full. */
  const waitUntilStalled = async () => {
    const { socket } = lastSent;
    let writtenBefore = -1;
    await eventually(async () => {
      const { writableLength, bytesWritten } = socket!;
      // The kernel took nothing since the last look, though the client had its turns to read.
      const isFull = writableLength > 0 && bytesWritten === writtenBefore;
      writtenBefore = bytesWritten;
      return isFull && !(await inTransaction());
    }, 60_000);
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
