import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import type { Route } from '../../src/platform/http/route.ts';
import type { Answer } from '../support/client.ts';
import { logInAsAdmin, signUp, type Person } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { bodyFor, encode, fill, newcomer, paramsFor, proof, takes } from './fixtures.ts';

const service = await startService();
const routes = service.app.routes.filter(({ page }) => !page);
const admin = await logInAsAdmin(service);

/** Sends bad input to every operation: each response must be a named problem, never a 5xx. */
describe('bad input', () => {
  after(() => service[Symbol.asyncDispose]());

  const expectProblem = (
    { failures: { format } = {} }: Route,
    { status, body }: Answer,
    allowed: number[],
    what: string,
  ) => {
    assert.ok(allowed.includes(status), `${what}: ${status}`);
    if (format?.mediaType.startsWith('text/html')) assert.match(body, /<h1>/, what);
    else if (format) assert.match(body.error, /^[a-z_]+$/, what);
    else assert.match(body.type, /^http:\/\/petitions\.test\/errors\/[a-z-]+$/, what);
  };

  /** The status for an invalid body. */
  const unprocessable = ({ failures }: Route) =>
    failures?.format?.statusOf('validation-failed') ?? 422;

  const send = async (route: Route, caller: Person, body: unknown, type?: string) => {
    const path = fill(route.path, await paramsFor(route, service, caller));
    const headers = {
      ...(type !== undefined && { 'content-type': type }),
      ...proof(route, typeof body === 'string' ? body : ''),
    };
    return caller.api.send(route.method, path, body, { headers });
  };

  const sendAsTaken = async (route: Route, caller: Person, body: object) => {
    const path = fill(route.path, await paramsFor(route, service, caller));
    return caller.api.send(route.method, path, ...encode(route, body));
  };

  it('is matched by all patterns in linear time', () => {
    const letters = ['a', 'A', '0', ' ', '-', '.', '@', '+', '/', 'a.', 'a-', 'a '];
    const texts = letters.flatMap((one) =>
      ['', ',', ' ', '!', '//'].map((end) => one.repeat(60_000 / one.length) + end),
    );
    const schemas = JSON.stringify(
      routes.map(({ params, query, body }) => [params, query, body?.schema]),
    );
    const patterns = new Set<string>();
    JSON.parse(schemas, (key, value: unknown) => {
      if (key === 'pattern' && typeof value === 'string') patterns.add(value);
    });
    assert.ok(patterns.size > 10);
    for (const pattern of patterns) {
      const form = new RegExp(pattern, 'u');
      const before = performance.now();
      for (const text of texts) form.test(text);
      assert.ok(performance.now() - before < 3000, pattern);
    }
  });

  const takesTexts = (route: Route) =>
    takes(route, 'application/json') || takes(route, 'application/x-www-form-urlencoded');
  for (const route of routes.filter((one) => one.body?.schema && takesTexts(one))) {
    it(`${route.id}: bodies`, async () => {
      const caller = ['admin', 'moderator'].includes(route.auth.access)
        ? admin
        : await newcomer(service, route);
      const json = 'application/json';
      const form = 'application/x-www-form-urlencoded';
      const misshapen = takes(route, json) ? unprocessable(route) : 415;
      const cases: [string, unknown, string | undefined, number[]][] = [
        ['broken JSON', '{"a":', json, [400]],
        ['a form', 'a=b', form, [takes(route, form) ? unprocessable(route) : 415]],
        ['no type', 'hello', 'text/plain', [415]],
        ['10 MB', JSON.stringify({ a: 'x'.repeat(10_000_000) }), json, [413]],
        ['null', 'null', json, [misshapen]],
        ['a list', '[]', json, [misshapen]],
        ['a text', '"text"', json, [misshapen]],
        ['a number', '7', json, [misshapen]],
      ];
      if (!route.body?.isOptional) {
        cases.push(['nothing', undefined, undefined, [misshapen]]);
      }
      for (const [what, body, type, allowed] of cases) {
        expectProblem(route, await send(route, caller, body, type), allowed, what);
      }
    });

    it(`${route.id}: values`, async () => {
      const caller = ['admin', 'moderator'].includes(route.auth.access)
        ? admin
        : await newcomer(service, route);
      const good = bodyFor(route, caller) as Record<string, unknown>;
      const { properties, required = [] } = route.body!.schema as unknown as {
        properties: Record<string, object>;
        required?: string[];
      };
      for (const name of Object.keys(properties)) {
        for (const value of badValues) {
          const answer = await sendAsTaken(route, caller, { ...good, [name]: value });
          // Some values are valid for some members; rejections must name the member.
          assert.ok(answer.status < 500, `${name}=${JSON.stringify(value)}: ${answer.status}`);
          if (answer.status !== 422 || route.failures?.format) continue;
          const fields = answer.body.errors.map((error: { field: string }) => error.field);
          assert.ok(
            fields.some((field: string) => field.startsWith(name)),
            `${fields}`,
          );
        }
        if (required.includes(name)) {
          const { [name]: _, ...rest } = good;
          const answer = await sendAsTaken(route, caller, rest);
          assert.equal(answer.status, unprocessable(route), `without ${name}`);
          if (!route.failures?.format) assert.equal(answer.body.errors[0].code, 'required');
        }
      }
    });
  }

  for (const route of routes.filter(({ query }) => query)) {
    it(`${route.id}: queries`, async () => {
      const caller = ['admin', 'moderator'].includes(route.auth.access)
        ? admin
        : await newcomer(service, route);
      const base = fill(route.path, await paramsFor(route, service, caller));
      const wrong = route.failures?.badQueryIs400 ? 400 : 422;
      for (const [name, schema] of Object.entries(route.query!.properties)) {
        const { type, format, enum: values } = schema as unknown as Record<string, unknown>;
        const strict = type === 'integer' || format !== undefined || values !== undefined;
        for (const value of [
          '%00',
          '%E0%A4%A',
          'x'.repeat(5000),
          '-1',
          '1e9',
          '[]',
          '',
          '%F0%9F%8E',
        ]) {
          const answer = await caller.api.send(route.method, withParameter(base, name, value));
          assert.ok(answer.status < 500, `${name}=${value}: ${answer.status}`);
          if (strict) assert.equal(answer.status, wrong, `${name}=${value}`);
        }
        if (name === 'cursor') {
          const answer = await caller.api.send(route.method, `${base}?cursor=bm90IG91cnM`);
          assert.equal(answer.status, 400);
        }
      }
    });
  }

  for (const route of routes.filter(({ path }) => path.includes('{'))) {
    it(`${route.id}: paths`, async () => {
      const caller = ['admin', 'moderator'].includes(route.auth.access)
        ? admin
        : await newcomer(service, route);
      const names = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
      for (const value of [
        'no-such',
        '01a1fe8f-1e78-7684-98f3-5a33b1554d4b',
        '%00',
        "'%20or%201=1",
        'x'.repeat(400),
        '%F0%9F%8E%89',
      ]) {
        const params = Object.fromEntries(names.map((name) => [name, value]));
        const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name]!);
        const answer = await caller.api.send(route.method, path, bodyFor(route, caller));
        expectProblem(route, answer, [404], value);
      }
    });
  }

  it('rejects deep and long bodies quickly', async () => {
    const deep = `{"email":${'['.repeat(8000)}${']'.repeat(8000)}}`;
    const headers = { 'content-type': 'application/json' };
    const nested = await service.api.send('POST', '/v1/auth/login', deep, { headers });
    assert.equal(nested.status, 400);
    const person = await signUp(service);
    const usageBefore = process.cpuUsage();
    const long = await person.api.post('/v1/petitions', { tags: Array(150_000).fill(0) });
    assert.equal(long.status, 400);
    // CPU time, since the machine may be busy. Listing the error of each item would take far longer.
    const spentMs = process.cpuUsage(usageBefore).user / 1000;
    assert.ok(spentMs < 1000, `${spentMs} ms`);
  });

  it('rejects malformed cursors with 400', async () => {
    for (const cursor of ['x'.repeat(3000), '%00']) {
      assert.equal((await service.api.get(`/v1/petitions?cursor=${cursor}`)).status, 400);
    }
  });

  it('rejects a wrong method with 405 and Allow', async () => {
    const answer = await service.api.send('PUT', '/v1/petitions', 'x', {
      headers: { 'content-type': 'text/plain' },
    });
    assert.equal(answer.status, 405);
    assert.equal(answer.headers.get('allow'), 'GET, POST, HEAD, OPTIONS');
    assert.match(answer.body.type, /method-not-allowed$/);
    assert.equal((await service.api.send('DELETE', '/health')).status, 405);
    assert.equal((await service.api.send('HEAD', '/v1/auth/login')).status, 405);
  });

  it('answers malformed HTTP with a problem', async () => {
    const { port } = new URL(service.origin);
    const socket = connect(Number(port), '127.0.0.1');
    socket.end('NOT HTTP\r\n\r\n');
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    assert.match(text, /^HTTP\/1\.1 400 Bad Request\r\n/);
    assert.match(text, /x-api-version: 1\r\n/);
    assert.match(text, /"type":"http:\/\/petitions\.test\/errors\/invalid-request"/);
  });

  it('answers unknown paths, malformed URLs and preflights', async () => {
    const unknown = await service.api.get('/v1/nothing-here');
    assert.equal(unknown.status, 404);
    assert.equal(unknown.headers.get('x-api-version'), '1');
    const malformed = await service.api.get('/v1/petitions/%zz');
    assert.equal(malformed.status, 400);
    assert.match(malformed.body.type, /invalid-request$/);
    const preflight = await service.api.send('OPTIONS', '/v1/petitions', undefined, {
      headers: {
        origin: 'https://elsewhere.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,idempotency-key',
      },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*');
    assert.match(preflight.headers.get('access-control-allow-headers')!, /idempotency-key/);
    const options = await service.api.send('OPTIONS', '/v1/petitions');
    assert.equal(options.status, 204);
    assert.equal(options.headers.get('allow'), 'GET, POST, HEAD, OPTIONS');
    const refused = await service.api.get('/v1/me');
    assert.equal(refused.status, 401);
    assert.equal(refused.headers.get('access-control-allow-origin'), '*');
    const page = await service.api.get('/errors/not-found');
    assert.match(page.body, /<h1>404/);
    assert.equal((await service.api.get('/errors/constructor')).status, 404);
  });
});

/** The path with one query parameter set to raw text. */
function withParameter(path: string, name: string, value: string): string {
  const { pathname, searchParams } = new URL(path, service.origin);
  searchParams.delete(name);
  const others = searchParams.toString();
  return `${pathname}?${others}${others && '&'}${name}=${value}`;
}

const badValues: unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e300,
  '',
  '\0',
  'half \ud800 a character',
  'x'.repeat(100_000),
  [],
  [null],
  {},
  { toString: 'x' },
  '<script>alert(1)</script>',
  "'; drop table users; --",
];
