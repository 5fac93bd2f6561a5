import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createPublished,
  logInAsAdmin,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('live connections', () => {
  let service: Service;
  let person: Person;
  let path: string;
  const open: AbortController[] = [];
  /** A stream whose answer is collected as garbage is closed. */
  const answers: Response[] = [];
  before(async () => {
    service = await startService({
      env: { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1', LIVE_CONNECTIONS_PER_ADDRESS: '7' },
    });
    person = await signUp(service, 'Ada');
    path = `${service.origin}/v1/petitions/${(await createPublished(person)).id}/events`;
  });
  after(async () => {
    for (const connection of open) connection.abort();
    await service[Symbol.asyncDispose]();
  });

  /** Opens a stream. Returns its status; closes it with the others at the end, or by `close`. */
  const follow = async (ip: string, token?: string) => {
    const connection = new AbortController();
    open.push(connection);
    const answer = await fetch(path, {
      signal: connection.signal,
      headers: { 'x-forwarded-for': ip, ...(token && { authorization: `Bearer ${token}` }) },
    });
    answers.push(answer);
    return { status: answer.status, close: () => connection.abort() };
  };
  const statuses = async (count: number, ip: string, token?: string) => {
    const streams = await Promise.all(Array.from({ length: count }, () => follow(ip, token)));
    return streams.map(({ status }) => status).toSorted((a, b) => a - b);
  };

  it('are limited by address, and free when they are closed', async () => {
    const first = await follow('81.2.69.1');
    assert.deepEqual(await statuses(8, '81.2.69.1'), [...Array(6).fill(200), 429, 429]);
    assert.equal((await follow('81.2.69.2')).status, 200);
    first.close();
    await eventually(async () => (await follow('81.2.69.1')).status === 200);
  });

  it('are limited by user, from all addresses', async () => {
    const found = [];
    for (let n = 1; n <= 6; n += 1) {
      found.push((await follow(`81.2.70.${n}`, person.accessToken)).status);
    }
    assert.deepEqual(found, [...Array(5).fill(200), 429]);
  });

  it('have the limit of a shared network', async () => {
    const admin = await logInAsAdmin(service);
    const network = { network: '81.2.71.0/24', note: 'A school', limit: 12 };
    assert.equal((await admin.api.post('/v1/admin/shared-networks', network)).status, 201);
    assert.deepEqual(await statuses(13, '81.2.71.1'), [...Array(12).fill(200), 429]);
  });
});
