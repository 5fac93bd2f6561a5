import { Type } from 'typebox';
import { readFileSync } from 'node:fs';
import { documentHtml } from '../../platform/documents.ts';
import { html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { notFound } from '../../platform/problems.ts';
import type { PageHandler, Site } from '../site/site.ts';
import { administrationPage, sayOf } from './administration.ts';

/** Documents of docs/ for those who run the service. */
const names = [
  'operating',
  'mail',
  'mail-bounces',
  'high-availability',
  'verifying-a-database',
  'search',
] as const;

const DocumentRef = Type.Object({ name: Type.String() });

/** The guide for operators, as its files say it: in English. */
export const guideRoutes = (site: Site): Route[] =>
  site.page({
    id: 'showOperatorGuide',
    path: '/admin/guide/{name}',
    access: 'admin',
    params: DocumentRef,
    show: guidePage,
  });

const guidePage: PageHandler<{ name: string }> = (view, { params }) => {
  const name = names.find((one) => one === params.name);
  if (name === undefined) throw notFound('page');
  const say = sayOf(view);
  return administrationPage(view, {
    section: 'health',
    title: say('guide'),
    main: html`<article lang="en" dir="ltr">${documentOf(name)}</article>`,
  });
};

const documents = new Map<string, Html>();

function documentOf(name: (typeof names)[number]): Html {
  let found = documents.get(name);
  if (!found) {
    const source = readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8');
    // The page has a heading of its own.
    found = documentHtml(source.replaceAll(/^#/gm, '##'), addressOf);
    documents.set(name, found);
  }
  return found;
}

/** Documents that are not shown here are in the source code only. */
function addressOf(href: string): string {
  const [, file, anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (names.some((name) => name === file)) return `/admin/guide/${file}${anchor}`;
  return /^(https?:|#|\/)/.test(href) ? href : '/admin/guide/operating';
}
