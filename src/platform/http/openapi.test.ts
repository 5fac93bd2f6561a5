import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { startService, type Service } from '../../../test/support/service.ts';

interface Example {
  schema?: object;
  example?: unknown;
}

const exec = promisify(execFile);

describe('the API description', () => {
  let service: Service;
  // oxlint-disable-next-line typescript/no-explicit-any
  let described: any;
  before(async () => {
    service = await startService();
    described = (await service.api.get('/openapi.json')).body;
  });
  after(() => service[Symbol.asyncDispose]());

  it('is the same in YAML', async () => {
    const { status, headers, body } = await service.api.get('/openapi.yaml');
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'application/yaml; charset=utf-8');
    assert.deepEqual(parse(body), described);
  });

  it('has a real answer of every operation as example, which is as described', () => {
    const headers = new Headers({
      'content-type': 'application/json',
      'x-api-version': '1',
      'x-ratelimit-limit': '1',
    });
    const lacking: string[] = [];
    for (const [path, operations] of Object.entries(service.contract.description.paths)) {
      for (const [method, { operationId, responses }] of Object.entries(operations)) {
        for (const [status, { content }] of Object.entries(responses)) {
          const json = (content as Record<string, Example> | undefined)?.['application/json'];
          if (!status.startsWith('2') || !json?.schema) continue;
          if (json.example === undefined) lacking.push(operationId);
          else {
            const answer = { status: Number(status), headers, body: json.example };
            service.contract.check(method.toUpperCase(), path, answer);
          }
        }
      }
    }
    assert.deepEqual(lacking, [], 'run `npm run examples -- FILE` with a test that calls these');
  });

  it('is printed by a command that needs no database', async () => {
    const { stdout } = await exec(process.execPath, ['src/cli/openapi.ts'], {
      maxBuffer: 10_000_000,
      env: { BASE_URL: 'http://petitions.test' },
    });
    assert.deepEqual(JSON.parse(stdout), described);
  });
});
