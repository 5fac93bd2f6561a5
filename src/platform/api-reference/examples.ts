import { nameOf, typesOf, type Endpoint, type MediaType, type Schema } from './description.ts';

/** Stands for a text that differs, as in the guide. */
const anyText = '…';

const textsByFormat: Record<string, string> = {
  uuid: '01a20078-6ea2-7620-8b39-8381a1724dca',
  'date-time': '2026-03-14T09:26:53.589Z',
  date: '2026-03-14',
  email: 'grace@example.org',
  uri: 'https://example.org/…',
};

/** Returns a value of the shape that a schema describes. */
export function sampleOf(
  schema: Schema,
  schemas: Record<string, Schema>,
  enclosing: readonly string[] = [],
): unknown {
  if (schema.$ref) {
    const name = nameOf(schema.$ref);
    // A comment has replies, which are comments.
    return enclosing.includes(name)
      ? undefined
      : sampleOf(schemas[name]!, schemas, [...enclosing, name]);
  }
  if (schema.const !== undefined) return schema.const;
  if (schema.anyOf) return sampleOf(schema.anyOf[0]!, schemas, enclosing);
  if (schema.enum) return schema.enum[0];
  switch (typesOf(schema)[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, property]) => [
          name,
          sampleOf(property, schemas, enclosing),
        ]),
      );
    case 'array': {
      const item = schema.items && sampleOf(schema.items, schemas, enclosing);
      return item === undefined ? [] : [item];
    }
    case 'string':
      return textsByFormat[schema.format ?? ''] ?? anyText;
    case 'integer':
    case 'number':
      return schema.minimum ?? 0;
    case 'boolean':
      return true;
    default:
      return null;
  }
}

/** Returns a command that makes the call. Values that differ are variables of the shell, named like the parameters. */
export function curlOf(endpoint: Endpoint, baseUrl: string): string {
  const { method, path, parameters, requestBody } = endpoint;
  const query = parameters
    .filter((one) => one.in === 'query' && one.required)
    .map(({ name }) => `${name}=$${name}`)
    .join('&');
  const url = `${baseUrl}${path.replaceAll(/\{(\w+)\}/g, '$$$1')}${query && `?${query}`}`;
  const body = requestBody && bodyArguments(requestBody.content);
  // curl sends GET without a body, and POST with one, by itself.
  const isDefault = method === (body ? 'POST' : 'GET');
  return [
    `curl ${isDefault ? '' : `-X ${method} `}"${url}"`,
    ...(endpoint['x-access'] === 'anyone' ? [] : ['-H "authorization: Bearer $token"']),
    ...(body ?? []),
  ].join(' \\\n  ');
}

function bodyArguments(content: Record<string, MediaType>): string[] {
  const { 'application/json': json } = content;
  if (json) {
    const text = JSON.stringify(json.example, undefined, 2);
    return ["-H 'content-type: application/json'", `-d ${quoted(text)}`];
  }
  const [[type, { schema = {}, example }]] = Object.entries(content) as [[string, MediaType]];
  if (type === 'multipart/form-data') {
    return (schema.required ?? []).map((name) => {
      const { enum: values, contentMediaType } = schema.properties![name]!;
      const value = contentMediaType ? '@picture.jpg' : (values?.[0] ?? `"$${name}"`);
      return `-F ${name}=${value}`;
    });
  }
  if (type === 'application/x-www-form-urlencoded') {
    return Object.entries(example ?? {}).map(
      ([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`,
    );
  }
  return ['--data-binary @file'];
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
