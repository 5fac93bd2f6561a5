import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { slashesKeyword } from '../../src/platform/http/schema.ts';
import type { Answer } from './client.ts';
import type { Received } from './receiver.ts';

type Json = Record<string, unknown>;

interface Operation {
  operationId: string;
  parameters?: { in: string; schema?: Json }[];
  responses: Record<string, Json>;
}

export interface Description {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: { parameters: { name: string }[] } }>;
  components: { responses: Record<string, Json>; schemas: Json };
}

/** Checks responses against the OpenAPI description. Rejects members that it does not name. */
export class Contract {
  readonly description: Description;
  readonly #ajv: Ajv2020;
  /** Requires no members, for answers with selected fields. */
  readonly #partial: Ajv2020;
  readonly #paths: { template: string; pattern: RegExp }[];

  constructor(description: object) {
    this.description = closeObjects(description) as Description;
    this.#ajv = validatorOf(this.description);
    this.#partial = validatorOf(withoutRequired(this.description));
    this.#paths = Object.keys(this.description.paths)
      // Literal segments take precedence over parameters.
      .toSorted((a, b) => a.split('{').length - b.split('{').length)
      .map((template) => ({
        template,
        pattern: patternOf(template, this.description.paths[template]!),
      }));
  }

  /** @throws {AssertionError} if the description does not allow the response */
  check(method: string, path: string, answer: Answer): void {
    assert.equal(answer.headers.get('x-api-version'), '1');
    assert.ok(answer.headers.has('x-ratelimit-limit'), 'limit headers are on every response');
    if (answer.headers.get('content-type') === 'application/problem+json') {
      assert.equal(answer.headers.get('vary'), 'Authorization, X-API-Key');
      assert.equal(answer.headers.get('cache-control'), 'no-store');
    }
    assert.ok(answer.status !== 500, `500: ${JSON.stringify(answer.body)}`);
    const found = this.#paths.find(({ pattern }) => pattern.test(path.split('?')[0]!));
    const operation =
      found &&
      this.description.paths[found.template]![method === 'HEAD' ? 'get' : method.toLowerCase()];
    if (!operation) return;
    const declared = operation.responses[answer.status];
    assert.ok(declared, `${operation.operationId} does not declare ${answer.status}`);
    const where = `api#/paths/${escape(found.template)}/${method.toLowerCase()}/responses/${answer.status}`;
    const reference = declared.$ref as string | undefined;
    const content = reference
      ? this.description.components.responses[reference.split('/').at(-1)!]!.content
      : declared.content;
    const [type] = (answer.headers.get('content-type') ?? '').split(';');
    if (!content || !(content as Json)[type!]) {
      assert.ok(!content || answer.status === 304, `${operation.operationId}: undeclared ${type}`);
      return;
    }
    const described = (content as Record<string, Json>)[type!]!.schema !== undefined;
    if (!described || typeof answer.body === 'string') return;
    const schema = `${reference ? `api${reference}` : where}/content/${escape(type!)}/schema`;
    const ajv = /[?&]fields=/.test(path) ? this.#partial : this.#ajv;
    const validate = ajv.getSchema(schema);
    assert.ok(validate, `no schema at ${schema}`);
    assert.ok(
      validate(answer.body),
      `${operation.operationId} ${answer.status}: ${ajv.errorsText(validate.errors)}`,
    );
    if (answer.status < 300 && type === 'application/json') record(operation, answer);
  }

  /** @throws {AssertionError} if the description does not allow the delivery of an event */
  checkDelivery({ headers, body }: Pick<Received, 'headers' | 'body'>): void {
    const event = JSON.parse(body) as { type: string };
    const described = this.description.webhooks[event.type];
    assert.ok(described, `${event.type} is not described`);
    for (const { name } of described.post.parameters) {
      assert.ok(headers[name.toLowerCase()], `${event.type} lacks the header ${name}`);
    }
    const schema = 'post/requestBody/content/application~1json/schema';
    const validate = this.#ajv.getSchema(`api#/webhooks/${event.type}/${schema}`);
    assert.ok(validate, `no schema of ${event.type}`);
    assert.ok(validate(event), `${event.type}: ${this.#ajv.errorsText(validate.errors)}`);
  }
}

/** Matches the paths of a template. The value of its last parameter may have slashes where the description says so. */
function patternOf(template: string, operations: Record<string, Operation>): RegExp {
  const hasSlashes = Object.values(operations).some(({ parameters }) =>
    parameters?.some(({ in: where, schema }) => where === 'path' && schema?.[slashesKeyword]),
  );
  const open = hasSlashes ? template.replace(/\{\w+\}$/, '.+') : template;
  return new RegExp(`^${open.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

function validatorOf(description: object): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajvFormats.default(ajv);
  return ajv.addSchema({ $id: 'api', ...description });
}

const withoutRequired = (description: object): object =>
  JSON.parse(JSON.stringify(description), (name, value) =>
    name === 'required' && Array.isArray(value) ? undefined : value,
  ) as object;

/** Appends the answer to the file that `npm run examples` names. */
function record({ operationId }: Operation, { status, body }: Answer): void {
  const { ANSWERS_FILE: file } = process.env;
  if (file) appendFileSync(file, `${JSON.stringify({ operationId, status, body })}\n`);
}

const escape = (part: string) =>
  encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')).replaceAll('%7E', '~');

/** Disallows additional members in objects that list their members, so that tests find leaks. */
function closeObjects(schema: unknown, withinAllOf = false): unknown {
  if (Array.isArray(schema)) return schema.map((one) => closeObjects(one));
  if (typeof schema !== 'object' || schema === null) return schema;
  const closed = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === 'allOf'
        ? (value as unknown[]).map((one) => closeObjects(one, true))
        : closeObjects(value),
    ]),
  );
  const listsMembers = 'properties' in schema && (schema as Json).type === 'object';
  if (listsMembers && !('additionalProperties' in schema) && !withinAllOf) {
    closed.additionalProperties = false;
  }
  return closed;
}
