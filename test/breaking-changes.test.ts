import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { describeDefaults } from '../src/cli/openapi.ts';
import { breakingChanges } from './support/breaking-changes.ts';

/** Breaking changes since the last release that are made on purpose, with the reason. */
const intended: Record<string, string> = {
  'GET /v1/petitions/{id}/versions: 200.data[].title: null is answered as well':
    'Text that moderators replaced leaves the versions too.',
  'GET /v1/petitions/{id}/versions: 200.data[].description: null is answered as well':
    'Text that moderators replaced leaves the versions too.',
  'GET /v1/admin/petitions/{id}/integrity: 200.data.mail_domains[].domain: null is answered as well':
    'The report covers the signatures of erased accounts, whose domain is not known.',
};

it('clients of the last release can rely on its description', async () => {
  const [file, ...others] = globSync('docs/api/openapi-*.json');
  assert.deepEqual(others, [], 'there is the description of one release');
  const released = JSON.parse(readFileSync(file!, 'utf8')) as object;
  const changes = breakingChanges(released, await describeDefaults(undefined));
  assert.deepEqual(changes, Object.keys(intended), `since ${file}`);
});

describe('breaking changes', () => {
  const schemas = {
    Pet: {
      type: 'object',
      required: ['id', 'name'],
      properties: {
        id: { type: 'string' },
        name: { type: 'string' },
        age: { type: ['integer', 'null'] },
        kind: { type: 'string', enum: ['cat', 'dog'] },
        // Contains itself.
        friends: { type: 'array', items: { $ref: '#/components/schemas/Pet' } },
      },
    },
  };
  const json = (schema: object) => ({ content: { 'application/json': { schema } } });
  const base = {
    paths: {
      '/pets': {
        get: {
          security: [{}, { bearer: [] }],
          parameters: [
            { name: 'kind', in: 'query', schema: { type: 'string', enum: ['cat', 'dog'] } },
            { name: 'limit', in: 'query', schema: { type: 'integer' } },
          ],
          responses: { 200: json({ $ref: '#/components/schemas/Pet' }), 404: {} },
        },
        post: {
          security: [{ bearer: [] }],
          requestBody: json({
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, age: { type: ['integer', 'null'] } },
          }),
          responses: { 201: { headers: { Location: {} } } },
        },
      },
    },
    components: { schemas },
  };

  type Base = typeof base;
  const cases: [string, (now: Base) => void, ...string[]][] = [
    ['nothing', () => {}],
    [
      'an operation removed',
      ({ paths }) => void delete (paths['/pets'] as Partial<Base['paths']['/pets']>).post,
      'POST /pets: removed',
    ],
    [
      'a parameter removed',
      ({ paths }) => void paths['/pets'].get.parameters.pop(),
      'GET /pets: query parameter limit removed',
    ],
    [
      'a parameter required',
      ({ paths }) => void Object.assign(paths['/pets'].get.parameters[1]!, { required: true }),
      'GET /pets: query parameter limit became required',
    ],
    [
      'a value of a parameter removed',
      ({ paths }) => void paths['/pets'].get.parameters[0]!.schema.enum!.pop(),
      'GET /pets: query parameter kind: value dog removed',
    ],
    [
      'a member of a body required',
      ({ paths }) => void bodyOf(paths).required.push('age'),
      'POST /pets: body.age became required',
    ],
    [
      'a member of a body that may not be null any more',
      ({ paths }) => void (bodyOf(paths).properties.age.type = ['integer']),
      'POST /pets: body.age: null is not taken any more',
    ],
    [
      'another type in a body',
      ({ paths }) => void (bodyOf(paths).properties.name.type = 'integer'),
      'POST /pets: body.name: string became integer',
    ],
    [
      'a member of an answer removed',
      ({ components }) => {
        const { Pet } = components.schemas;
        Pet.required.pop();
        delete (Pet.properties as Partial<typeof Pet.properties>).name;
      },
      'GET /pets: 200.name removed',
    ],
    [
      'a member of an answer that is optional now',
      ({ components }) => void components.schemas.Pet.required.pop(),
      'GET /pets: 200.name became optional',
    ],
    [
      'another status',
      ({ paths }) => void Object.assign(paths['/pets'].post, { responses: { 202: {} } }),
      'POST /pets: 201 is not answered any more',
    ],
    [
      'credentials needed',
      ({ paths }) => void paths['/pets'].get.security.shift(),
      'GET /pets: needs credentials',
    ],
    [
      'what is added for those who know it',
      ({ paths, components }) => {
        const { properties, required } = components.schemas.Pet;
        Object.assign(properties, { colour: { type: 'string' } });
        required.push('colour', 'age');
        properties.kind.enum.push('bird');
        paths['/pets'].get.parameters[0]!.schema.enum!.push('bird');
        Object.assign(bodyOf(paths).properties, { colour: { type: 'string' } });
        Object.assign(paths, { '/birds': { get: paths['/pets'].get } });
      },
    ],
  ];
  const bodyOf = (paths: Base['paths']) =>
    paths['/pets'].post.requestBody.content['application/json'].schema as {
      required: string[];
      properties: { name: { type: string }; age: { type: string[] } };
    };
  for (const [name, change, ...expected] of cases) {
    it(`are found: ${name}`, () => {
      const now = structuredClone(base);
      change(now);
      assert.deepEqual(breakingChanges(base, now), expected);
    });
  }
});
