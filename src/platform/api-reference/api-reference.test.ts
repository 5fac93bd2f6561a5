import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { startService, type Service } from '../../../test/support/service.ts';
import { groupsOf, type Description, type Endpoint, type Schema } from './description.ts';
import { curlOf, sampleOf } from './examples.ts';
import { readGuides } from './guides.ts';
import { pythonOf, typescriptOf } from './client-examples.ts';

describe('the API reference', () => {
  let service: Service;
  let description: Description;
  /** The pages of all groups, by name. */
  let pages: Map<string, string>;
  before(async () => {
    service = await startService();
    ({ body: description } = await service.api.get('/openapi.json'));
    pages = new Map();
    for (const { name, slug } of groupsOf(description)) {
      const { status, body } = await service.api.get(`/docs/${slug}`);
      assert.equal(status, 200, slug);
      pages.set(name, body);
    }
  });
  after(() => service[Symbol.asyncDispose]());

  const endpoints = () => groupsOf(description).flatMap((group) => group.endpoints);
  const endpointOf = (id: string) => endpoints().find(({ operationId }) => operationId === id)!;

  /** The section of the page with this id. */
  function sectionOf(page: string, id: string): string {
    const start = page.indexOf(`<section class="operation" id="${id}"`);
    assert.ok(start >= 0, id);
    return page.slice(start, page.indexOf('</section>', start));
  }
  const sectionOfOperation = ({ tags: [tag], operationId }: Endpoint) =>
    sectionOf(pages.get(tag)!, operationId);

  it('shows every operation of the description once, with all that it says', () => {
    assert.ok(endpoints().length > 190);
    for (const endpoint of endpoints()) {
      const section = sectionOfOperation(endpoint);
      for (const name of [
        ...endpoint.parameters.map((one) => one.name),
        ...Object.values(endpoint.requestBody?.content ?? {}).flatMap(({ schema }) =>
          Object.keys(schema?.properties ?? {}),
        ),
        ...Object.keys(endpoint.responses),
        endpoint['x-api-key-scope'],
        ...endpoint.security.flatMap(({ oauth2 }) => oauth2 ?? []),
      ]) {
        if (name !== undefined)
          assert.ok(section.includes(`<code>${name}</code>`), `${endpoint.operationId}: ${name}`);
      }
      assert.match(section, /curl /);
    }
    const sections = [...pages.values()].join('').split('<section class="operation" id="').length;
    assert.ok(sections > endpoints().length);
  });

  it('is of a description that says what each operation, parameter and group is for', () => {
    const { info, tags } = description;
    assert.ok('contact' in info);
    assert.deepEqual(
      tags.filter((tag) => !tag.description).map(({ name }) => name),
      [],
    );
    const silent = endpoints().filter((endpoint) => !endpoint.description);
    assert.deepEqual(
      silent.map(({ operationId }) => operationId),
      [],
    );
    const unexplained = endpoints().flatMap(({ operationId, parameters }) =>
      parameters.filter((one) => !one.description).map(({ name }) => `${operationId}: ${name}`),
    );
    assert.deepEqual(unexplained, []);
  });

  it('has a request in TypeScript and in Python for every operation, which compilers take', () => {
    const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
    const python: string[] = [];
    for (const endpoint of endpoints()) {
      const script = typescriptOf(endpoint, 'https://petitions.example');
      assert.doesNotThrow(() => new AsyncFunction(script), `${endpoint.operationId}: ${script}`);
      python.push(pythonOf(endpoint, 'https://petitions.example'));
    }
    const check = 'import ast, json, sys\nfor one in json.load(sys.stdin): ast.parse(one)';
    const { status, stderr, error } = spawnSync('python3', ['-c', check], {
      input: JSON.stringify(python),
      encoding: 'utf8',
    });
    if (!error) assert.equal(status, 0, stderr);
  });

  it('writes values as each language does', () => {
    const endpoint = endpointOf('createPetition');
    assert.match(
      typescriptOf(endpoint, 'https://a.example'),
      /body: JSON\.stringify\(\{\n\s+title: "/,
    );
    assert.match(
      typescriptOf(endpoint, 'https://a.example'),
      /authorization: `Bearer \$\{token\}`/,
    );
    assert.match(pythonOf(endpoint, 'https://a.example'), /json=\{\n\s+"title": "/);
  });

  it('has the pages of the guide, whose links lead somewhere, with the address of the service', async () => {
    const guides = readGuides();
    assert.ok(guides.length >= 10);
    const shown = new Map<string, string>();
    for (const { slug } of guides) {
      const { status, body } = await service.api.get(`/docs/guides/${slug}`);
      assert.equal(status, 200, slug);
      assert.ok(!String(body).includes('localhost:3000'), slug);
      shown.set(`/docs/guides/${slug}`, body);
    }
    for (const [page, body] of shown) {
      for (const [, path, anchor] of body.matchAll(
        /href="(\/docs\/guides\/[\w-]+)(?:#([^"]+))?"/g,
      )) {
        assert.ok(shown.has(path!), `${page}: ${path}`);
        if (anchor)
          assert.ok(shown.get(path!)!.includes(`id="${anchor}"`), `${page}: ${path}#${anchor}`);
      }
    }
    assert.equal((await service.api.get('/docs/guides/none')).status, 404);
  });

  it('is listed for language models, with what it consists of', async () => {
    const { status, body, headers } = await service.api.get('/llms.txt');
    assert.equal(status, 200);
    assert.match(headers.get('content-type')!, /^text\/plain/);
    assert.match(body, /^# .*\n\n> /);
    for (const [, path] of body.matchAll(/\]\(http:\/\/petitions\.test(\/[^)]*)\)/g)) {
      const { status: found } = await service.api.get(path);
      assert.equal(found, 200, path);
    }
  });

  it('has an index of all operations, which leads to them', async () => {
    const { body } = await service.api.get('/docs');
    for (const { slug, endpoints: members } of groupsOf(description)) {
      for (const { operationId } of members) {
        assert.ok(body.includes(`href="/docs/${slug}#${operationId}"`), operationId);
      }
    }
  });

  it('leads from each type to a section of the same page', () => {
    for (const [name, page] of pages) {
      const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
      const broken = [...page.matchAll(/href="#([^"]+)"/g)].filter(([, id]) => !ids.has(id));
      assert.deepEqual(
        broken.map(([, id]) => id),
        [],
        name,
      );
    }
    assert.match(sectionOfOperation(endpointOf('createPetition')), /href="#Petition"/);
  });

  it('shows limits, defaults and choices of fields', () => {
    const section = sectionOfOperation(endpointOf('createPetition'));
    assert.match(
      section,
      /<code>title<\/code> <span class="type">string<\/span> <span class="required">required<\/span><\/dt>\n<dd><p class="limits">5 to 200 characters<\/p>/,
    );
    assert.match(section, /50 to 50,000 characters · Markdown/);
    assert.match(section, /at most 10 items · each: 1 to 50 characters/);
    assert.match(
      section,
      /one of <code>public<\/code>, <code>private<\/code>, <code>unlisted<\/code>/,
    );
    assert.match(section, /default <code>&quot;public&quot;<\/code>/);
    assert.match(section, /<summary>Fields of <code>decisionMakers<\/code><\/summary>/);
    assert.match(
      section,
      /<a href="\/errors\/validation-failed"><code>422<\/code> validation-failed<\/a>/,
    );
  });

  it('shows the format of problems, also where it is that of OAuth', async () => {
    const { body } = await service.api.get('/docs');
    assert.match(body, /<a href="\/errors\/rate-limited"><code>429<\/code> rate-limited<\/a>/);
    assert.match(body, /<dt><code>instance<\/code>/);
    const section = sectionOfOperation(endpointOf('issueOAuthTokens'));
    assert.match(section, /<code>400<\/code> Bad Request: <a href="#OAuthError">OAuthError<\/a>/);
  });

  it('allows no script but its own file', async () => {
    const { headers, body } = await service.api.get('/docs');
    const policy = headers.get('content-security-policy')!;
    assert.match(policy, /^default-src 'none'; style-src 'self'; script-src 'self';/);
    assert.doesNotMatch(policy, /unsafe|blob:|data:|https?:/);
    for (const page of [body, ...pages.values()]) {
      const scripts = [...page.matchAll(/<script[^>]*>/g)].map(([tag]) => tag);
      assert.equal(scripts.length, 1);
      assert.match(scripts[0], /^<script type="module" src="\/assets\/reference\.[\w-]+\.js">$/);
      assert.doesNotMatch(page, / style="| on\w+="/);
    }
  });

  it('may be cached and revalidated, and is compressed', async () => {
    const first = await service.api.get('/docs/petitions');
    assert.equal(first.headers.get('cache-control'), 'public, max-age=300');
    const again = await service.api.get('/docs/petitions', {
      headers: { 'if-none-match': first.headers.get('etag')! },
    });
    assert.equal(again.status, 304);
    const packed = await service.api.get('/docs/petitions', {
      headers: { 'accept-encoding': 'br' },
    });
    assert.equal(packed.headers.get('content-encoding'), 'br');
    assert.equal(packed.body, first.body);
  });

  it('answers 404 for unknown groups', async () => {
    const { status, body } = await service.api.get('/docs/unknown');
    assert.equal(status, 404);
    assert.match(body.type, /not-found$/);
  });

  it('writes commands that the shell takes as they are meant', () => {
    const of = (id: string) => curlOf(endpointOf(id), 'https://petitions.example');
    assert.equal(of('getPetition'), 'curl "https://petitions.example/v1/petitions/$id"');
    assert.equal(
      of('deletePetition'),
      'curl -X DELETE "https://petitions.example/v1/petitions/$id" \\\n  -H "authorization: Bearer $token"',
    );
    assert.match(of('createPetition'), /^curl "https:\/\/petitions\.example\/v1\/petitions" \\\n/);
    assert.match(of('issueOAuthTokens'), /\n  -d '\{\n  "grant_type": "client_credentials",/);
    assert.match(
      of('uploadMedia'),
      / \\\n  -F file=@picture\.jpg \\\n  -F entity_type=petition_image$/,
    );
    assert.match(
      of('decideOnAuthorization'),
      / \\\n  --data-urlencode 'ticket=…' \\\n  --data-urlencode 'decision=allow'$/,
    );
    const quoting = curlOf(
      {
        ...endpointOf('createPetition'),
        requestBody: {
          required: true,
          content: { 'application/json': { example: "the council's path" } },
        },
      },
      '',
    );
    assert.ok(quoting.endsWith(String.raw`-d '"the council'\''s path"'`));
  });

  it('makes samples of schemas that contain themselves', () => {
    const Comment: Schema = {
      type: 'object',
      properties: {
        id: { type: 'string', format: 'uuid' },
        replies: { type: 'array', items: { $ref: '#/components/schemas/Comment' } },
        parent: { anyOf: [{ $ref: '#/components/schemas/Comment' }, { type: 'null' }] },
      },
    };
    const sample = sampleOf({ $ref: '#/components/schemas/Comment' }, { Comment });
    assert.deepEqual(JSON.parse(JSON.stringify(sample)), {
      id: '01a20078-6ea2-7620-8b39-8381a1724dca',
      replies: [],
    });
  });
});
