import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { request } from 'node:http';
import { createDraft, petitionInput, signUp, type Person } from '../../test/support/people.ts';
import { startService, type Service } from '../../test/support/service.ts';
import { patternInWords } from './http/validation.ts';
import { generalCode, problemCodes } from './problem-codes.ts';
import { problemKinds } from './problems.ts';

describe('failures', () => {
  let service: Service;
  let person: Person;
  before(async () => {
    service = await startService();
    person = await signUp(service);
  });
  after(() => service[Symbol.asyncDispose]());

  /** Sends a request as it is, and returns the status, the header and the problem. */
  const send = (method: string, path: string, headers: Record<string, string> = {}) =>
    new Promise<{
      status: number;
      allow: string | undefined;
      body: { code?: string; type?: string };
    }>((resolve, reject) => {
      const sent = request(service.origin + path, { method, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({
            status: response.statusCode!,
            allow: response.headers.allow,
            body: text ? JSON.parse(text) : {},
          });
        });
      });
      sent.on('error', reject);
      sent.end();
    });

  it('have a code each, of the kind where there is no other', async () => {
    const unknown = await service.api.get('/v1/petitions/nowhere');
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'not_found']);
    const invalid = await service.api.post('/v1/auth/login', {});
    assert.deepEqual([invalid.status, invalid.body.code], [422, 'validation_failed']);
    const anonymous = await service.api.get('/v1/users/me');
    assert.deepEqual([anonymous.status, anonymous.body.code], [401, 'unauthorized']);
  });

  it('are explained at /errors, each code with its cause and its cure', async () => {
    const { status, body } = await service.api.get('/errors', { headers: { accept: 'text/html' } });
    assert.equal(status, 200);
    for (const [code, { cause, cure }] of Object.entries(problemCodes)) {
      assert.ok(body.includes(`id="${code}"`), code);
      assert.ok(cause.endsWith('.') && cure.endsWith('.'), code);
    }
    for (const kind of Object.keys(problemKinds)) {
      assert.ok(body.includes(`id="${generalCode(kind)}"`), kind);
      const page = await service.api.get(`/errors/${kind}`);
      assert.equal(page.status, 200);
    }
    const guide = readFileSync('docs/api/errors.md', 'utf8');
    for (const code of Object.keys(problemCodes)) assert.ok(guide.includes(`\`${code}\``), code);
  });

  it('are 405 with Allow for every method of HTTP on a known path', async () => {
    const { id } = await createDraft(person);
    for (const [path, allowed] of [
      ['/v1/petitions', 'GET, POST, HEAD, OPTIONS'],
      [`/v1/petitions/${id}`, 'GET, PATCH, DELETE, HEAD, OPTIONS'],
      ['/v1/auth/login', 'POST, OPTIONS'],
      ['/v1/realtime', 'GET, HEAD, OPTIONS'],
    ] as const) {
      for (const method of ['PUT', 'TRACE', 'PROPFIND', 'LOCK', 'SEARCH', 'REPORT']) {
        const answer = await send(method, path);
        assert.deepEqual([answer.status, answer.allow], [405, allowed], `${method} ${path}`);
        assert.equal(answer.body.code, 'method_not_allowed');
      }
    }
    assert.equal((await send('HEAD', '/v1/auth/login')).status, 405);
    assert.equal((await send('TRACE', '/v1/nowhere')).status, 404);
  });

  it('say what they expect, without words of JSON Schema', async () => {
    const { status, body } = await person.api.post('/v1/petitions', {
      ...petitionInput,
      title: 5,
      tags: 'a',
      signatureGoal: 'many',
      language: 'English',
      locationCountry: 'Britain',
      decisionMakers: [{ name: 'Grace', email: 'grace' }],
    });
    assert.equal(status, 422);
    const messages = Object.fromEntries(
      body.errors.map(({ field, message }: { field: string; message: string }) => [field, message]),
    );
    assert.deepEqual(messages, {
      title: 'This must be a text in quotes.',
      tags: 'This must be a list, such as ["a"].',
      signatureGoal: 'This must be a whole number, such as 5.',
      language: 'This must be the two small letters of a language, such as en.',
      locationCountry: 'This must be the two letters of a country, such as GB.',
      'decisionMakers.0.email': 'This must be an email address, such as name@example.org.',
    });
  });

  it('have a sentence for every pattern that a body or query declares', () => {
    const patterns = new Set<string>();
    for (const { query, body } of service.app.routes) {
      JSON.stringify([query, body?.schema], (key, value: unknown) => {
        if (key === 'pattern') patterns.add(String(value));
        return value;
      });
    }
    assert.ok(patterns.size > 5);
    assert.deepEqual(
      [...patterns].filter((pattern) => !patternInWords(pattern)),
      [],
    );
  });

  it('are 417 for expectations, and 431 for a header that is too large', async () => {
    const expecting = await send('GET', '/v1/petitions', { expect: 'the-unexpected' });
    assert.deepEqual([expecting.status, expecting.body.code], [417, 'expectation_failed']);
    const large = await send('GET', '/v1/petitions', { cookie: 'x'.repeat(20_000) });
    assert.deepEqual([large.status, large.body.code], [431, 'request_header_fields_too_large']);
    assert.match(large.body.type!, /request-header-fields-too-large$/);
  });

  it('take no parent where it is null', async () => {
    const { id } = await createDraft(person);
    await person.api.post(`/v1/petitions/${id}/publish`);
    const path = `/v1/petitions/${id}/comments`;
    const { status, body } = await person.api.post(path, { body: 'Yes.', parent_id: null });
    assert.deepEqual([status, body.data.parent_id], [201, null]);
  });
});

describe('an Idempotency-Key', () => {
  let service: Service;
  let person: Person;
  before(async () => {
    service = await startService();
    person = await signUp(service);
  });
  after(() => service[Symbol.asyncDispose]());

  const create = (key: string, more = {}) =>
    person.api.post(
      '/v1/petitions',
      { ...petitionInput, ...more },
      {
        headers: { 'idempotency-key': key },
      },
    );

  it('gives the answer again, marked, with the id of the call that asks', async () => {
    const first = await create('once');
    const again = await create('once');
    assert.equal(first.headers.get('idempotent-replayed'), null);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual(again.body.data, first.body.data);
    assert.equal(again.status, 201);
    const id = again.headers.get('x-request-id');
    assert.equal(again.body.meta.request_id, id);
    assert.notEqual(id, first.headers.get('x-request-id'));
  });

  it('is refused where it is empty, or was used with another body', async () => {
    const empty = await create('');
    assert.deepEqual([empty.status, empty.body.code], [400, 'idempotency_key_required']);
    await create('used');
    const reused = await create('used', { title: 'Another title' });
    assert.deepEqual([reused.status, reused.body.code], [422, 'idempotency_key_reused']);
    assert.equal(reused.body.errors[0].field, 'Idempotency-Key');
  });
});
