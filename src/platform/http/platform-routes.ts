import { Type } from 'typebox';
import type { Context } from '../context.ts';
import { html, type Html } from '../html.ts';
import { page } from '../pages/page.ts';
import { generalCode, problemCodes, type CodeExplanation } from '../problem-codes.ts';
import { notFound, problemKinds, unavailable, type ProblemKind } from '../problems.ts';
import type { Slice } from '../slice.ts';
import { forgetOldAnswers } from './idempotency.ts';
import { requireMetricsToken } from './metrics-server.ts';
import { jsonType } from './headers.ts';
import { bare, raw, type Route, routes } from './route.ts';
import { RenderedPage } from './rendered-page.ts';
import { oneOf, Timestamp } from './schema.ts';
import { answerToCheck } from '../setup-check.ts';
import { version } from '../version.ts';
import { toYaml } from './yaml.ts';

const Health = Type.Object({
  status: oneOf(['ok']),
  version: Type.String({ description: 'Of the software.' }),
  timestamp: Timestamp,
});
const api = routes('Service');

/** Whether a route reports the state of this process. */
export const isProcessRoute = ({ id }: Route): boolean =>
  ['getHealth', 'getReadiness', 'getMetrics'].includes(id);

/** Routes that belong to no feature: health, metrics, the description of the API, kinds of failure. */
export function platformSlice(ctx: Context, describe: () => object): Slice {
  let description: RenderedPage | undefined;
  let descriptionAsYaml: Promise<string> | undefined;
  ctx.site.onChange(() => {
    description = undefined;
    descriptionAsYaml = undefined;
  });
  const health = () => ({ status: 'ok' as const, version, timestamp: ctx.now() });
  return {
    jobs: { 'forget-old-answers': () => forgetOldAnswers(ctx) },
    schedules: [{ job: 'forget-old-answers', cron: '37 * * * *' }],
    routes: [
      api.get('/health', {
        id: 'getHealth',
        summary: 'The process answers',
        description:
          '200 while the process can answer, whatever its database does. For restarts by a supervisor.',
        auth: { access: 'anyone', ignoresCredentials: true },
        worksWithoutDatabase: true,
        returns: bare(Health),
        handle: ({ headers, ip, header }) => {
          const now = ctx.now();
          const seen = answerToCheck(ctx.config.secret, { headers, ip, now });
          for (const [name, value] of Object.entries(seen)) header(name, value);
          return health();
        },
      }),
      api.get('/health/ready', {
        id: 'getReadiness',
        summary: 'The database answers too, and takes writes',
        description:
          '503 while the database does not answer or only reads, and while the process shuts down. For load balancers.',
        auth: { access: 'anyone', ignoresCredentials: true },
        returns: bare(Health),
        problems: ['unavailable'],
        handle: async () => {
          try {
            await ctx.databaseHealth.check(ctx.pools.health);
          } catch (error) {
            throw unavailable('The database cannot serve at the moment.', error);
          }
          return health();
        },
      }),
      ...(ctx.config.metricsPort === undefined ? [metricsRoute(ctx)] : []),
      ...(ctx.config.securityContact === undefined ? [] : [securityContactRoute(ctx)]),
      api.get('/openapi.json', {
        id: 'getDescription',
        summary: 'This description',
        description: 'In OpenAPI 3.1. Clients can be generated from it.',
        auth: { access: 'anyone', ignoresCredentials: true },
        worksWithoutDatabase: true,
        returns: raw('application/json'),
        handle: () =>
          (description ??= new RenderedPage(
            { mediaType: jsonType, body: JSON.stringify(describe()) },
            { headers: { 'cache-control': 'public, no-cache' }, effort: 'often' },
          )),
      }),
      api.get('/openapi.yaml', {
        id: 'getDescriptionAsYaml',
        summary: 'This description in YAML',
        description: 'The same as `/openapi.json`.',
        auth: { access: 'anyone', ignoresCredentials: true },
        worksWithoutDatabase: true,
        returns: raw('application/yaml'),
        handle: async () => ({
          mediaType: 'application/yaml; charset=utf-8',
          body: await (descriptionAsYaml ??= toYaml(describe())),
        }),
      }),
      api.get('/errors', {
        id: 'listErrors',
        summary: 'Every kind of failure and every code, with cause and cure',
        description: 'A page in English. Each code has an anchor: `/errors#duplicate_signature`.',
        auth: { access: 'anyone', ignoresCredentials: true },
        worksWithoutDatabase: true,
        returns: raw('text/html'),
        handle: ({ header }) =>
          page(header, { title: 'Errors', main: errorList(), site: ctx.site.current }),
      }),
      api.get('/errors/{slug}', {
        id: 'explainError',
        summary: 'What a kind of failure means',
        description: 'A page in English: `type` of every problem document is such an address.',
        auth: { access: 'anyone', ignoresCredentials: true },
        params: Type.Object({
          slug: Type.String({ description: 'Last part of `type` of the problem document.' }),
        }),
        worksWithoutDatabase: true,
        returns: raw('text/html'),
        problems: ['not-found'],
        handle: ({ params, header }) => {
          if (!Object.hasOwn(problemKinds, params.slug)) throw notFound('kind of error');
          const { status, about } = problemKinds[params.slug as ProblemKind];
          return page(header, {
            site: ctx.site.current,
            title: `${status} ${params.slug}`,
            main: html`<h1>${status} <code>${params.slug}</code></h1>
              <p>${about}</p>
${codeList(status)}${ctx.site.current.modules.developers && html`              <p><a href="/docs">All calls and their answers</a></p>`}`,
          });
        },
      }),
    ],
  };
}

/** The kinds of failures, and the codes that say more. */
const errorList = (): Html => html`<h1>Errors</h1>
<p>Every failure is a problem document (RFC 9457). Decide by its status, and by its code where a status has several causes.</p>
<h2>Kinds</h2>
<dl>
${Object.entries(problemKinds).map(
  ([kind, { status, about }]) =>
    html`<dt id="${generalCode(kind)}">${status} <code>${generalCode(kind)}</code></dt><dd>${about} <a href="/errors/${kind}">Its codes</a></dd>\n`,
)}</dl>
<h2>Codes</h2>
${codeList()}`;

/** The codes of a status, or all, with cause and cure. */
function codeList(status?: number): Html {
  const codes = Object.entries(problemCodes as Record<string, CodeExplanation>).filter(
    ([, explained]) => status === undefined || explained.status.includes(status),
  );
  return html`${
    codes.length > 0 &&
    html`<dl>
${codes.map(
  ([code, { status: statuses, cause, cure }]) =>
    html`<dt id="${code}">${statuses.join(', ')} <code>${code}</code></dt><dd>${cause} ${cure}</dd>\n`,
)}</dl>
`
  }`;
}

const metricsRoute = (ctx: Context): Route =>
  api.get('/metrics', {
    id: 'getMetrics',
    summary: 'Figures for Prometheus',
    description:
      'With METRICS_TOKEN, that is the bearer token to send. While the database is away, the figures that are read from it are missing.',
    auth: { access: 'anyone', ignoresCredentials: true },
    worksWithoutDatabase: true,
    returns: raw('text/plain'),
    problems: ['unauthorized'],
    handle: async ({ headers }) => {
      requireMetricsToken(ctx, headers.authorization);
      return { mediaType: ctx.metrics.contentType, body: await ctx.metrics.metrics() };
    },
  });

/** How long the contact is said to be valid (RFC 9116, section 2.5.5, asks for less than a year). */
const contactValidDays = 180;

const securityContactRoute = ({ config, now }: Context): Route =>
  api.get('/.well-known/security.txt', {
    id: 'getSecurityContact',
    summary: 'Where to report vulnerabilities (RFC 9116)',
    auth: { access: 'anyone', ignoresCredentials: true },
    returns: raw('text/plain'),
    handle: () => {
      const expires = new Date(now().getTime() + contactValidDays * 86_400_000);
      const lines = [
        `Contact: ${config.securityContact}`,
        `Expires: ${expires.toISOString()}`,
        `Canonical: ${config.baseUrl}/.well-known/security.txt`,
      ];
      return { mediaType: 'text/plain; charset=utf-8', body: `${lines.join('\n')}\n` };
    },
  });
