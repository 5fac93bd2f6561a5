import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../../../test/support/process.ts';
import {
  createDraft,
  createPublished,
  createUsers,
  petitionInput,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { signFrom } from '../../../test/support/signing.ts';
import { startMetricsServer } from './metrics-server.ts';

const json = 'application/json';

describe('a request', () => {
  let service: Service;
  let person: Person;
  before(async () => {
    const env = { TRUST_PROXY: '127.0.0.1', METRICS_TOKEN: 'a token', RATE_LIMITS: 'on' };
    service = await startService({
      env: { ...env, SECURITY_CONTACT: 'mailto:security@petitions.test' },
    });
    person = await signUp(service, 'Ada');
  });
  after(() => service[Symbol.asyncDispose]());

  const post = async (
    path: string,
    body: string | Buffer<ArrayBuffer>,
    type = json,
    headers = {},
  ) => {
    const answer = await fetch(service.origin + path, {
      method: 'POST',
      body,
      headers: { 'content-type': type, authorization: `Bearer ${person.accessToken}`, ...headers },
    });
    // oxlint-disable-next-line typescript/no-explicit-any
    return { status: answer.status, body: (await answer.json()) as any };
  };

  it('is UTF-8, in its declaration and in its bytes', async () => {
    const text = JSON.stringify({ ...petitionInput, title: 'Öffnet den Weg' });
    for (const charset of ['utf-8', '"UTF-8"', 'us-ascii']) {
      const { status } = await post('/v1/petitions', text, `${json}; charset=${charset}`);
      assert.equal(status, 201, charset);
    }
    for (const type of [`${json}; charset=latin1`, `${json};charset="utf-16"`]) {
      assert.equal((await post('/v1/petitions', text, type)).status, 415, type);
    }
    assert.equal((await post('/v1/petitions', Buffer.from(text, 'latin1'))).status, 400);
    const form = 'application/x-www-form-urlencoded';
    const latin = Buffer.from('grant_type=refresh_token&refresh_token=ö', 'latin1');
    assert.equal((await post('/v1/oauth/token', latin, form)).status, 400);
  });

  it('has as many bytes as its texts need', async () => {
    const escaped = '\\u00e9'.repeat(50_000);
    const largest = `{"title": "Keep the path open", "description": "${escaped}"}`;
    assert.equal((await post('/v1/petitions', largest)).status, 201);
    const padding = ' '.repeat(400_000);
    assert.equal((await post('/v1/petitions', largest + padding)).status, 413);
    assert.equal((await post('/v1/webhooks', `{}${padding}`)).status, 413);
    const login = JSON.stringify({ email: person.email, password: person.password });
    assert.equal((await post('/v1/auth/login', login + ' '.repeat(16_000))).status, 200);
    assert.equal((await post('/v1/auth/login', login + ' '.repeat(17_000))).status, 413);
  });

  it('has texts that can be seen, stored in composed form', async () => {
    const { title } = await createDraft(person, {
      title: 'Cafe\u0301s for all',
      tags: ['re\u0301'],
    });
    assert.equal(title, 'Cafés for all');
    const { title: longest } = await createDraft(person, { title: ` ${'e\u0301'.repeat(200)}\n` });
    assert.equal(longest, 'é'.repeat(200), 'counted as it is stored');
    for (const [field, value, message] of [
      ['title', '\u200b\u200b\u200b\u200b\u200b\u200b', /nothing that can be seen/],
      ['title', 'Keep \u202ethis open', /U\+202E, which reverses text, at position 6/],
      ['description', `${petitionInput.description}\u0007`, /control character/],
      ['locationCity', '\u3164', /nothing that can be seen/],
    ] as const) {
      const input = { ...petitionInput, [field]: value };
      const { status, body } = await person.api.post('/v1/petitions', input);
      assert.equal(status, 422);
      assert.match(body.errors[0].message, message);
      assert.equal(body.errors[0].field, field);
    }
    const blank = await person.api.patch('/v1/users/me', { display_name: ' \u200d ' });
    assert.equal(blank.status, 422);
  });

  it('is nested 32 deep at most', async () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    assert.equal((await post('/v1/petitions', nested(32))).status, 422);
    const { status, body } = await post('/v1/petitions', nested(34));
    assert.deepEqual([status, body.code], [400, 'invalid_request']);
    assert.match(body.message, /nested more than 32 deep/);
  });

  it('has 10,000 members at most', async () => {
    const items = (count: number) => JSON.stringify({ a: Array(count).fill(0) });
    assert.equal((await post('/v1/petitions', items(9_999))).status, 422);
    const { status, body } = await post('/v1/petitions', items(10_000));
    assert.equal(status, 400);
    assert.match(body.message, /more than 10000 members/);
  });

  it('loses members that would change a prototype', async () => {
    const { title, description } = petitionInput;
    const sent = `{"__proto__": {"title": "x"}, "constructor": {"prototype": {"title": "x"}}, "title": ${JSON.stringify(title)}, "description": ${JSON.stringify(description)}}`;
    const { status, body } = await post('/v1/petitions', sent);
    assert.deepEqual([status, body.data.title], [201, title]);
  });

  it('counts towards the address without its port', async () => {
    const petition = await createPublished(person);
    const statuses = [];
    for (const [n, { token }] of (await createUsers(service, 11)).entries()) {
      const { status } = await signFrom(service, token, petition, {
        ip: `81.2.69.142:${50_000 + n}`,
      });
      statuses.push(status);
    }
    assert.deepEqual(statuses, [...Array(10).fill(201), 429]);
  });

  it('needs the token for metrics', async () => {
    const read = async (headers = {}) =>
      (await fetch(`${service.origin}/metrics`, { headers })).status;
    assert.equal(await read(), 401);
    assert.equal(await read({ authorization: 'Bearer wrong' }), 401);
    assert.equal(await read({ authorization: 'Bearer a token' }), 200);
  });

  it('for security.txt is answered with the contact', async () => {
    const answer = await fetch(`${service.origin}/.well-known/security.txt`);
    assert.equal(answer.status, 200);
    const text = await answer.text();
    assert.match(text, /^Contact: mailto:security@petitions\.test\nExpires: 20/);
  });
});

it('metrics have a port of their own where one is set', async () => {
  const port = await freePort();
  await using service = await startService({
    env: { METRICS_PORT: String(port), METRICS_TOKEN: 'a token' },
  });
  await using _ = (await startMetricsServer(service.ctx))!;
  assert.equal((await fetch(`${service.origin}/metrics`)).status, 404);
  assert.equal((await fetch(`${service.origin}/.well-known/security.txt`)).status, 404);
  const origin = `http://localhost:${port}`;
  assert.equal((await fetch(`${origin}/metrics`)).status, 401);
  assert.equal((await fetch(`${origin}/health`)).status, 404);
  const headers = { authorization: 'Bearer a token' };
  assert.match(await (await fetch(`${origin}/metrics`, { headers })).text(), /^# HELP/m);
});

describe('a malformed head', () => {
  let service: Service;
  before(async () => (service = await startService({ env: { RATE_LIMITS: 'on' } })));
  after(() => service[Symbol.asyncDispose]());

  /** Sends what is no HTTP request, and returns the whole answer. */
  const sendMalformed = async (): Promise<string> => {
    const { port } = new URL(service.origin);
    const socket = connect(Number(port), '127.0.0.1');
    socket.end('no request\r\n\r\n');
    return readText(socket);
  };

  it('counts towards the rate limit of its address, and is measured', async () => {
    const first = await sendMalformed();
    assert.match(first, /^HTTP\/1\.1 400 /);
    assert.match(first, /^x-ratelimit-remaining: \d+\r$/m);
    const answers = await Promise.all(Array.from({ length: 400 }, sendMalformed));
    const statuses = answers.map((answer) => answer.slice(9, 12));
    assert.deepEqual(new Set(statuses), new Set(['400', '429']));
    const refused = answers.find((answer) => answer.startsWith('HTTP/1.1 429'));
    assert.match(refused!, /^retry-after: \d+\r$/im);
    const figures = await service.ctx.metrics.metrics();
    assert.match(figures, /count\{operation="none",status="429"\} \d+/);
  });
});
