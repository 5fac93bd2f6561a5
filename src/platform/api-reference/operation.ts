import { STATUS_CODES } from 'node:http';
import { html, type Content, type Html } from '../html.ts';
import {
  nameOf,
  type Description,
  type Endpoint,
  type MediaType,
  type Response,
  type Schema,
} from './description.ts';
import { pythonOf, typescriptOf } from './client-examples.ts';
import { curlOf, sampleOf } from './examples.ts';
import { fieldList, parameterList, prose, typeOf, type FieldListOptions } from './fields.ts';

/** One operation: its contract, and beside it a request with the answer. */
export function operationSection(endpoint: Endpoint, description: Description): Html {
  const { operationId, summary, method, path, deprecated } = endpoint;
  const [{ url: baseUrl }] = description.servers;
  return html`<section class="operation" id="${operationId}" aria-labelledby="${operationId}-title">
<div class="contract">
<h2 id="${operationId}-title"><a class="permalink" href="#${operationId}">${summary}</a></h2>
<p class="address">${methodBadge(method)} <code>${breakable(path)}</code>${deprecated && html` <span class="badge warn">deprecated</span>`}</p>
${endpoint.description && html`<p>${prose(endpoint.description)}</p>\n`}${callers(endpoint)}
${parametersOf(endpoint)}${bodyOf(endpoint)}${answersOf(endpoint)}${problemsOf(endpoint)}</div>
<div class="example">
${code('Request', curlOf(endpoint, baseUrl))}${otherLanguages(endpoint, baseUrl)}${exampleAnswer(endpoint, description)}</div>
</section>
`;
}

/** The request in languages of clients, which most readers do not need all. */
const otherLanguages = (endpoint: Endpoint, baseUrl: string): Html =>
  html`<details><summary>TypeScript</summary>${code('TypeScript', typescriptOf(endpoint, baseUrl))}</details>
<details><summary>Python</summary>${code('Python, with requests', pythonOf(endpoint, baseUrl))}</details>
`;

/** A path that breaks before slashes on narrow screens. */
export const breakable = (path: string): Html[] =>
  path.split('/').map((segment, index) => html`${index > 0 && html`<wbr>/`}${segment}`);

export const methodBadge = (method: string): Html =>
  html`<span class="method ${method.toLowerCase()}">${method}</span>`;

/** Code with a title. It is focusable, since it scrolls. */
export const code = (title: string, text: string): Html => html`<figure class="code">
<figcaption>${title}</figcaption>
<pre tabindex="0"><code>${text}</code></pre>
</figure>
`;

/** A schema with a name, which answers refer to. */
export const schemaSection = (
  name: string,
  schema: Schema,
  { components }: Description,
): Html => html`<section class="operation" id="${name}" aria-labelledby="${name}-title">
<div class="contract">
<h3 id="${name}-title"><a class="permalink" href="#${name}">${name}</a></h3>
${schema.description && html`<p>${prose(schema.description)}</p>\n`}${fieldList(schema, { of: 'answer' })}
</div>
<div class="example">
${code(name, asJson(sampleOf(schema, components.schemas, [name])))}</div>
</section>
`;

const accessTexts: Record<string, string> = {
  anyone: 'Anyone',
  user: 'Users',
  owner: 'Users who own it',
  moderator: 'Moderators',
  admin: 'Administrators',
};

function callers(endpoint: Endpoint): Html {
  const { 'x-access': access, 'x-api-key-scope': keyLevel, security } = endpoint;
  const scope = security.flatMap(({ oauth2 }) => oauth2 ?? [])[0];
  const isOpen = access === 'anyone';
  const credentials = security.length === 0 ? 'ignored' : 'optional';
  return html`<dl class="pairs">
<dt>Who may call</dt><dd>${accessTexts[access] ?? access}${isOpen && `; credentials are ${credentials}`}</dd>
${scope && html`<dt>OAuth scope</dt><dd><code>${scope}</code></dd>\n`}${
    !scope && !isOpen && html`<dt>OAuth scope</dt><dd>none: OAuth tokens may not call it</dd>\n`
  }${keyLevel && html`<dt>API key</dt><dd><code>${keyLevel}</code></dd>\n`}</dl>`;
}

const places = { path: 'In the path', query: 'In the query', header: 'In headers' } as const;

const parametersOf = ({ parameters }: Endpoint): Html[] =>
  Object.entries(places).flatMap(([place, title]) => {
    const list = parameterList(parameters.filter((one) => one.in === place));
    return list ? [html`<h3>${title}</h3>\n${list}\n`] : [];
  });

function bodyOf({ requestBody }: Endpoint): Html | undefined {
  if (!requestBody) return undefined;
  const types = Object.keys(requestBody.content);
  const [{ schema = {} }] = Object.values(requestBody.content) as [MediaType];
  return html`<h3>Body</h3>
<p class="limits">${mediaTypes(types)}${!requestBody.required && ' · optional'}</p>
${contentOf(schema, { of: 'request' })}
`;
}

const mediaTypes = (types: readonly string[]): Content[] =>
  types.map((type, index) => [
    index > 0 && ' or ',
    type === '*/*' ? 'any media type' : html`<code>${type}</code>`,
  ]);

/** The fields of an object, or the type of what has none. */
function contentOf(schema: Schema, options: FieldListOptions): Content {
  if (schema.properties) return fieldList(schema, options);
  return schema.$ref || schema.items ? html`<p>${typeOf(schema)}</p>` : undefined;
}

const successesOf = ({ responses }: Endpoint) =>
  Object.entries(responses).filter(([status]) => Number(status) < 400);

/** Members that are the same in all answers. */
const commonFields = ({ properties = {} }: Schema): string[] =>
  Object.keys(properties).filter((name) => commonSchemas.has(properties[name]!.$ref));
const commonSchemas = new Set<string | undefined>(
  ['Meta', 'Pagination'].map((name) => `#/components/schemas/${name}`),
);

function answersOf(endpoint: Endpoint): Html {
  return html`<h3>Answers</h3>
${successesOf(endpoint).map(([status, { description, content = {} }]) => {
  const { schema } = content['application/json'] ?? {};
  const types = Object.keys(content);
  return html`<p><code>${status}</code> ${description}${types.length > 0 && html` <span class="limits">${mediaTypes(types)}</span>`}</p>
${schema && contentOf(schema, { of: 'answer', omitted: commonFields(schema) })}
`;
})}`;
}

function problemsOf({ responses }: Endpoint): Html {
  const problems = Object.entries(responses).filter(([status]) => Number(status) >= 400);
  return html`<h3>Problems</h3>
<ul class="problems">${problems.map(([status, response]) => html`<li>${problemLink(status, response)}</li>\n`)}</ul>
`;
}

function problemLink(status: string, { $ref, description, content }: Response): Html {
  if (!$ref) {
    const schema = content?.['application/json']?.schema;
    return html`<code>${status}</code> ${STATUS_CODES[status] ?? description}${schema && [': ', typeOf(schema)]}`;
  }
  const kind = nameOf($ref);
  return html`<a href="/errors/${kind}"><code>${status}</code> ${kind}</a>`;
}

function exampleAnswer(endpoint: Endpoint, { components }: Description): Html | undefined {
  const [status, response] = successesOf(endpoint)[0]!;
  const { schema, example } = response.content?.['application/json'] ?? {};
  const title = `${status} ${response.description}`;
  if (!schema) return undefined;
  return code(title, asJson(example ?? sampleOf(schema, components.schemas)));
}

const asJson = (value: unknown): string => JSON.stringify(value, undefined, 2);
