import type { Endpoint, MediaType } from './description.ts';

/** Returns a call by fetch, in JavaScript that is TypeScript too. Values that differ are constants with their names. */
export function typescriptOf(endpoint: Endpoint, baseUrl: string): string {
  const { method } = endpoint;
  const body = bodyOf(endpoint);
  const headers = {
    ...(needsToken(endpoint) && { authorization: raw('`Bearer ${token}`') }),
    ...(body?.type && { 'content-type': body.type }),
  };
  const options = {
    ...(method !== 'GET' && { method }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(body && { body: raw(javascriptBody(body)) }),
  };
  const query = requiredQuery(endpoint)
    .map((name) => `${name}=\${encodeURIComponent(${name})}`)
    .join('&');
  const url = `\`${baseUrl}${endpoint.path.replaceAll(/\{(\w+)\}/g, '${$1}')}${query && `?${query}`}\``;
  const argument = Object.keys(options).length > 0 ? `, ${literal(options, javascript)}` : '';
  return [
    ...(body?.kind === 'multipart' ? formLines(body) : []),
    `const response = await fetch(${url}${argument});`,
    'if (!response.ok) throw new Error((await response.json()).message);',
    ...(answersJson(endpoint) ? ['const answer = await response.json();'] : []),
  ].join('\n');
}

/** Returns a call by the library requests, in Python. */
export function pythonOf(endpoint: Endpoint, baseUrl: string): string {
  const { method, path } = endpoint;
  const body = bodyOf(endpoint);
  const query = requiredQuery(endpoint);
  const url = `${path.includes('{') ? 'f' : ''}"${baseUrl}${path}"`;
  const members = [
    ...(needsToken(endpoint) ? ['headers={"authorization": f"Bearer {token}"}'] : []),
    ...(query.length > 0
      ? [`params={${query.map((name) => `"${name}": ${name}`).join(', ')}}`]
      : []),
    ...(body ? pythonBody(body) : []),
  ];
  const call = [url, ...members].map((one) => `    ${one.replaceAll('\n', '\n    ')},`).join('\n');
  return [
    `response = requests.${method.toLowerCase()}(\n${call}\n)`,
    'response.raise_for_status()',
    ...(answersJson(endpoint) ? ['answer = response.json()'] : []),
  ].join('\n');
}

const needsToken = (endpoint: Endpoint): boolean => endpoint['x-access'] !== 'anyone';

const requiredQuery = ({ parameters }: Endpoint): string[] =>
  parameters.filter((one) => one.in === 'query' && one.required).map(({ name }) => name);

const answersJson = ({ responses }: Endpoint): boolean =>
  Object.entries(responses).some(
    ([status, { content = {} }]) => status.startsWith('2') && 'application/json' in content,
  );

type Body =
  | { kind: 'json'; type: 'application/json'; value: unknown }
  | { kind: 'form'; type?: undefined; value: Record<string, unknown> }
  | { kind: 'multipart'; type?: undefined; value: Record<string, unknown>; file: string }
  | { kind: 'file'; type: string };

function bodyOf({ requestBody }: Endpoint): Body | undefined {
  if (!requestBody) return undefined;
  const { 'application/json': json } = requestBody.content;
  if (json) return { kind: 'json', type: 'application/json', value: json.example ?? {} };
  const [[type, { schema = {}, example }]] = Object.entries(requestBody.content) as [
    [string, MediaType],
  ];
  if (type === 'application/x-www-form-urlencoded') {
    return { kind: 'form', value: (example ?? {}) as Record<string, unknown> };
  }
  if (type !== 'multipart/form-data')
    return { kind: 'file', type: type === '*/*' ? 'image/jpeg' : type };
  const members = (schema.required ?? []).map((name) => [name, schema.properties![name]!] as const);
  const [file = 'file'] = members.find(([, member]) => member.contentMediaType) ?? [];
  const value = Object.fromEntries(
    members
      .filter(([name]) => name !== file)
      .map(([name, member]) => [name, member.enum?.[0] ?? '…']),
  );
  return { kind: 'multipart', value, file };
}

function javascriptBody(body: Body): string {
  switch (body.kind) {
    case 'json':
      return `JSON.stringify(${literal(body.value, javascript)})`;
    case 'form':
      return `new URLSearchParams(${literal(body.value, javascript)})`;
    case 'multipart':
      return 'form';
    default:
      return 'file';
  }
}

const formLines = ({ value, file }: Body & { kind: 'multipart' }): string[] => [
  'const form = new FormData();',
  ...Object.entries(value).map(
    ([name, one]) => `form.set(${JSON.stringify(name)}, ${JSON.stringify(one)});`,
  ),
  `form.set(${JSON.stringify(file)}, file);`,
];

function pythonBody(body: Body): string[] {
  switch (body.kind) {
    case 'json':
      return [`json=${pythonLiteral(body.value)}`];
    case 'form':
      return [`data=${pythonLiteral(body.value)}`];
    case 'multipart':
      return [
        `data=${pythonLiteral(body.value)}`,
        `files={"${body.file}": open("picture.jpg", "rb")}`,
      ];
    default:
      return ['data=open("file", "rb")'];
  }
}

/** Code that stands in an object as it is. */
class Raw {
  readonly code: string;
  constructor(code: string) {
    this.code = code;
  }
}
const raw = (code: string): Raw => new Raw(code);

/** How a language writes values. */
interface Notation {
  name: (name: string) => string;
  constants: { true: string; false: string; null: string };
}
const javascript: Notation = {
  name: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)),
  constants: { true: 'true', false: 'false', null: 'null' },
};
const python: Notation = {
  name: (name) => JSON.stringify(name),
  constants: { true: 'True', false: 'False', null: 'None' },
};

/** A value in the notation of a language, over several lines where it has members. */
function literal(value: unknown, notation: Notation): string {
  if (value instanceof Raw) return value.code;
  if (value === null || typeof value === 'boolean') {
    return notation.constants[String(value) as 'true' | 'false' | 'null'];
  }
  if (Array.isArray(value)) return `[${value.map((one) => literal(one, notation)).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `  ${notation.name(name)}: ${indented(literal(member, notation))},`,
  );
  return members.length === 0 ? '{}' : `{\n${members.join('\n')}\n}`;
}

/** Python is indented by four spaces. */
const pythonLiteral = (value: unknown): string =>
  literal(value, python).replaceAll(/^ +/gm, '$&$&');

const indented = (text: string): string => text.replaceAll('\n', '\n  ');
