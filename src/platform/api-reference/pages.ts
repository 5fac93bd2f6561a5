import { attribute, html, type Content, type Html } from '../html.ts';
import { asset } from '../pages/assets.ts';
import { brand, type Page } from '../pages/page.ts';
import { problemKinds } from '../problems.ts';
import type { SiteProfile } from '../site/profile.ts';
import {
  groupsOf,
  referredSchemas,
  type Description,
  type Endpoint,
  type Group,
} from './description.ts';
import { fieldList, prose } from './fields.ts';
import { guideHtml, readGuides, type Guide } from './guides.ts';
import { breakable, code, methodBadge, operationSection, schemaSection } from './operation.ts';

const styles = asset(new URL('reference.css', import.meta.url));
const script = asset(new URL('reference.js', import.meta.url));
export const referenceAssets = [styles, script];

/** Makes a page for a site of this name and look. */
export type MakePage = (site: SiteProfile) => Page;

/** Returns a function that makes the page of a group, by the last segment of its path; the index for none. */
export function referencePages(description: Description): (slug: string) => MakePage | undefined {
  const groups = groupsOf(description);
  return (slug) => {
    if (slug === '') return indexPage(description, groups);
    const group = groups.find((one) => one.slug === slug);
    return group && groupPage(description, groups, group);
  };
}

interface ReferencePage {
  title: string;
  content: Content;
  groups: readonly Group[];
  /** The group or page of the guide that the page shows. */
  current?: Group | Guide;
}

/** The pages of the guide. */
const guides = readGuides();

const referencePage =
  ({ title, content, groups, current }: ReferencePage): MakePage =>
  (site) => ({
    site,
    title: html`${title} · ${site.name}`,
    width: 'wide',
    styles: [styles],
    scripts: [script],
    cacheControl: 'public, max-age=300',
    above: html`<a class="visually-hidden" href="#main">Skip to the content</a>
<header class="site"><div class="bar">${brand(site)}
<nav aria-label="API"><a href="/docs">API reference</a><a href="/openapi.json">OpenAPI</a></nav></div></header>`,
    main: html`<div class="reference">
<nav class="groups" aria-label="Guide and groups of operations">
<ul class="side">
${guides.map(
  (guide) =>
    html`<li><a href="/docs/guides/${guide.slug}"${attribute('aria-current', guide === current && 'page')}>${guide.title}</a></li>\n`,
)}</ul>
<ul class="side">
<li><a href="/docs"${attribute('aria-current', !current && 'page')}>All operations</a></li>
${groups.map(
  (group) =>
    html`<li><a href="/docs/${group.slug}"${attribute('aria-current', group === current && 'page')}>${group.name}</a></li>\n`,
)}</ul>
</nav>
<div class="content">
${content}
</div>
</div>`,
  });

function indexPage(description: Description, groups: readonly Group[]): MakePage {
  const [{ url: baseUrl }] = description.servers;
  return referencePage({
    title: 'API reference',
    groups,
    content: html`<div class="operation">
<div class="contract">
<h1>API reference</h1>
<p class="lead">${prose(description.info.description)}</p>
<dl class="pairs">
<dt>Address</dt><dd><code>${baseUrl}</code></dd>
<dt>Description</dt><dd>OpenAPI 3.1, to generate clients from: <a href="/openapi.json">JSON</a>, <a href="/openapi.yaml">YAML</a></dd>
</dl>
<h2 id="guide">Guide</h2>
<p>How the operations work together, with commands to try:</p>
<ol>
${guides.map(({ slug, title, about }) => html`<li><a href="/docs/guides/${slug}">${title}</a>: ${about}</li>\n`)}</ol>
<p><a href="#credentials">Credentials</a> · <a href="#answers">Answers</a> · <a href="#problems">Problems</a></p>
</div>
<div class="example">${code('A first request', `curl "${baseUrl}/v1/petitions?limit=2"`)}</div>
</div>
<form class="filter" role="search" hidden>
<label for="filter">Find an operation</label>
<input type="search" id="filter" name="q" autocomplete="off" spellcheck="false" placeholder="sign petition, webhooks, DELETE">
<p class="small quiet" role="status" data-one="1 operation" data-other="# operations"></p>
</form>
${groups.map(
  ({ name, slug, endpoints }) => html`<section class="group">
<h2 id="${slug}"><a class="permalink" href="/docs/${slug}">${name}</a></h2>
<ul class="endpoints">
${endpoints.map((one) => endpointItem(one, `/docs/${slug}`))}</ul>
</section>
`,
)}
${credentials(description)}
${answers}
${problems(description)}`,
  });
}

/** Returns a function that makes a page of the guide, by the last segment of its path. */
export function guidePages(description: Description): (slug: string) => MakePage | undefined {
  const groups = groupsOf(description);
  const [{ url: baseUrl }] = description.servers;
  return (slug) => {
    const guide = guides.find((one) => one.slug === slug);
    return (
      guide &&
      referencePage({
        title: `${guide.title}: API`,
        groups,
        current: guide,
        content: html`<p class="above"><a href="/docs">API reference</a></p>
<article class="guide">
${guideHtml(guide, baseUrl)}</article>`,
      })
    );
  };
}

/** The reference and the guide for language models, as https://llmstxt.org describes it. */
export function llmsText(description: Description): string {
  const [{ url: baseUrl }] = description.servers;
  const link = (path: string, title: string, about?: string) =>
    `- [${title}](${baseUrl}${path})${about === undefined ? '' : `: ${about}`}`;
  return [
    `# ${description.info.title}: API`,
    `> ${description.info.description}`,
    '## Guide',
    guides.map(({ slug, title, about }) => link(`/docs/guides/${slug}`, title, about)).join('\n'),
    '## Operations',
    groupsOf(description)
      .map(({ slug, name, description: purpose }) => link(`/docs/${slug}`, name, purpose))
      .join('\n'),
    '## For programs',
    [
      link('/openapi.json', 'OpenAPI description', 'every operation, with schemas'),
      link('/errors', 'Errors', 'every kind and code, with cause and cure'),
      link('/changelog.atom', 'Changes', 'a feed of releases'),
    ].join('\n'),
    '',
  ].join('\n\n');
}

/** A link to an operation. The filter also finds it by its id. */
const endpointItem = (endpoint: Endpoint, page: string): Html => {
  const { method, path, summary, operationId } = endpoint;
  return html`<li data-id="${operationId}"><a href="${page}#${operationId}">${methodBadge(method)} <code>${breakable(path)}</code> <span>${summary}</span></a></li>\n`;
};

function groupPage(description: Description, groups: readonly Group[], group: Group): MakePage {
  const { endpoints, name, description: purpose } = group;
  const { schemas } = description.components;
  const referred = referredSchemas(endpoints, schemas);
  const names = Object.keys(schemas).filter((one) => referred.has(one));
  return referencePage({
    title: `${name}: API reference`,
    groups,
    current: group,
    content: html`<p class="above"><a href="/docs">All operations</a></p>
<h1>${name}</h1>
${purpose !== undefined && html`<p>${purpose}</p>\n`}<ul class="endpoints">
${endpoints.map((one) => endpointItem(one, ''))}</ul>
${endpoints.map((one) => operationSection(one, description))}${
      names.length > 0 &&
      html`<h2 id="objects">Objects</h2>
${names.map((one) => schemaSection(one, schemas[one]!, description))}`
    }`,
  });
}

const credentials = ({
  components: { securitySchemes },
}: Description): Html => html`<section class="group">
<h2 id="credentials">Credentials</h2>
<p>Send an access token or an API key with each request: <code>authorization: Bearer …</code>. Each operation says who may
call it, which OAuth scope a token needs, and how much an API key must be good for.</p>
<h3>OAuth scopes</h3>
<dl class="fields-of">${Object.entries(scopesOf(securitySchemes)).map(
  ([scope, about]) => html`
<dt><code>${scope}</code></dt><dd><p>${about}</p></dd>`,
)}</dl>
<h3>Levels of API keys</h3>
<p>A <code>read</code> key may read, a <code>read_write</code> key also write, and a <code>full</code> key may do all that its
owner may. Other keys of moderators and administrators act as those of an ordinary account.</p>
</section>`;

const scopesOf = (schemes: Description['components']['securitySchemes']): Record<string, string> =>
  Object.assign({}, ...Object.values(schemes.oauth2?.flows ?? {}).map(({ scopes }) => scopes));

const answers = html`<section class="group">
<h2 id="answers">Answers</h2>
<p>One object is <code>{data, meta}</code>, a list <code>{data, pagination, meta}</code>. For the next page of a list, pass
<code>pagination.next_cursor</code> as <code>cursor</code>. <code>meta.request_id</code> is also in the header
<code>X-Request-Id</code>: quote it when you report a problem.</p>
<p>Every answer has the state of your limit, in <code>X-RateLimit-Limit</code> (requests a second),
<code>X-RateLimit-Remaining</code> and <code>X-RateLimit-Reset</code> (seconds since 1970). Send
<code>Idempotency-Key</code> with a POST that must not happen twice, and repeat it after a broken connection.</p>
</section>`;

const problems = ({ components: { schemas } }: Description): Html => html`<section class="group">
<h2 id="problems">Problems</h2>
<p>Failures are <code>application/problem+json</code> (RFC 9457). <code>code</code> names the cause where there are several,
and <code>errors</code> lists each wrong value.</p>
<dl class="fields-of">${Object.entries(problemKinds).map(
  ([kind, { status, about }]) => html`
<dt><a href="/errors/${kind}"><code>${status}</code> ${kind}</a></dt><dd><p>${about}</p></dd>`,
)}</dl>
<h3>Fields of a problem</h3>
${fieldList(schemas.Problem!, { of: 'answer' })}
</section>`;
