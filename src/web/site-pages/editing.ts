import { Type, type Static } from 'typebox';
import {
  SitePageInput,
  type SitePage,
  type SitePageRef,
} from '../../oversight/site-pages/schema.ts';
import {
  getSitePage,
  listPageVersions,
  restoreSitePage,
  writeSitePage,
  type VersionEntry,
} from '../../oversight/site-pages/site-pages.ts';
import { html, type Content, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { formatTime, speak } from '../../platform/pages/catalog.ts';
import { isLanguage, languageName, type Language } from '../../platform/pages/language.ts';
import { notFound, Problem } from '../../platform/problems.ts';
import { hasOwnText, sitePageNames, type SitePageName } from '../../platform/site/pages.ts';
import {
  actionForm,
  doneNotice,
  editStateOf,
  formFor,
  postForm,
  readForm,
  shownUnchanged,
  type Fields,
  type FormHandler,
  type OwnView,
  type PageHandler,
  type Site,
} from '../site/site.ts';
import { administrationPage } from '../administration/administration.ts';
import { sitePageTexts } from './texts.ts';

const listPath = '/admin/site/pages';
const access = 'admin';

const PathRef = Type.Object({ page: Type.String(), language: Type.String() });
type PathRef = Static<typeof PathRef>;

/** Where administrators write the page. */
export const editPath = ({ page, language }: Pick<SitePage, 'page' | 'language'>): string =>
  `${listPath}/${page}/${language}`;

export const editingRoutes = (site: Site): Route[] => [
  ...site.page({ id: 'showSitePages', path: listPath, access, show: listPage }),
  ...site.page({
    id: 'editSitePage',
    path: `${listPath}/{page}/{language}`,
    access,
    params: PathRef,
    show: editPage,
    forms: { write: { id: 'submitSitePage', act: write } },
    buttons: [{ id: 'restoreSitePage', at: '/restore', act: restore }],
  }),
];

/** @throws {Problem} not-found for what is no page or no language */
function refOf({ page, language }: PathRef): SitePageRef {
  const name = sitePageNames.find((one) => one === page);
  if (!name || !isLanguage(language)) throw notFound('page');
  return { page: name, language };
}

/** Every page in every language of the site, and whose text stands there. */
const listPage: PageHandler = (view) => {
  const say = speak(sitePageTexts, view.language);
  return administrationPage(view, {
    section: 'pages',
    title: say('pages'),
    main: html`<p>${say('pages_lead')}</p>
${sitePageNames.map(
  (page) => html`<section class="panel"><h2>${view.say(`page_${page}`)}</h2>
<ul class="list">
${view.ctx.site.current.languages.map((language) => languageEntry(view, page, language))}</ul></section>
`,
)}`,
  });
};

function languageEntry(view: OwnView, page: SitePageName, language: Language): Html {
  const say = speak(sitePageTexts, view.language);
  const version = view.ctx.site.writtenPages.get(page)?.get(language);
  const state =
    version === undefined
      ? say(hasOwnText(page) ? 'state_own' : 'state_none')
      : say('state_written', { version });
  return html`<li class="row between"><a href="${editPath({ page, language })}"><span class="visually-hidden">${view.say(`page_${page}`)}: </span><bdi lang="${language}">${languageName(language)}</bdi></a> <span class="quiet">${state}</span></li>\n`;
}

const editPage: PageHandler<PathRef> = async (view, request) => {
  const { ctx, language } = view;
  const ref = refOf(request.params);
  const say = speak(sitePageTexts, language);
  const current = await findText(view, ref);
  const versions = await listPageVersions(ctx, ref);
  const state = editStateOf(request, 'write', valuesOf(current));
  const form = formFor(view, state, SitePageInput);
  const title = say('edit_title', {
    page: view.say(`page_${ref.page}`),
    language: languageName(ref.language),
  });
  return administrationPage(view, {
    section: 'pages',
    title,
    main: html`${doneNotice(say, request.query.done, ['done_saved', 'done_restored'])}${
      current.version === null &&
      html`<p>${say(hasOwnText(ref.page) ? 'starts_own' : 'starts_empty')}</p>\n`
    }${postForm(view, state, {
      action: editPath(ref),
      className: 'panel',
      hidden: state.hidden,
      fields: [
        form.text('title', { label: say('title') }),
        form.text('body', { label: say('body'), type: 'markdown', rows: 18 }),
      ],
      submit: say('publish'),
    })}${versionList(view, ref, versions)}${
      current.version !== null &&
      actionForm(view, {
        action: `${editPath(ref)}/restore`,
        submit: say(hasOwnText(ref.page) ? 'restore' : 'remove_page'),
        buttonClass: 'danger',
      })
    }`,
  });
};

type Text = Pick<SitePage, 'title' | 'body' | 'version'>;

/** The text in force; empty where neither administrators nor the software have one. */
async function findText({ ctx }: OwnView, ref: SitePageRef): Promise<Text> {
  try {
    return await getSitePage(ctx, ref);
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'not-found') throw error;
    return { title: '', body: '', version: null };
  }
}

function versionList(view: OwnView, ref: SitePageRef, versions: VersionEntry[]): Content {
  if (versions.length === 0) return undefined;
  const say = speak(sitePageTexts, view.language);
  return html`<section class="panel"><h2>${say('versions')}</h2>
<ul class="list">
${versions.map((one) => versionEntry(view, ref, one))}</ul></section>
`;
}

function versionEntry(view: OwnView, { page, language }: SitePageRef, one: VersionEntry): Html {
  const say = speak(sitePageTexts, view.language);
  const { version, title, created_at: createdAt, created_by_name: name } = one;
  const by = name === null ? view.say('erased_user') : html`<bdi>${name}</bdi>`;
  const when = formatTime(view.language, createdAt);
  return html`<li>${
    title === null
      ? say('version_restored')
      : html`<a href="/${page}?language=${language}&amp;version=${version}" dir="auto">${title}</a>`
  } <span class="small quiet">${say('version_made', { version, when, by })}</span></li>\n`;
}

const valuesOf = ({ title, body }: Pick<SitePage, 'title' | 'body'>): Fields => ({ title, body });

const write: FormHandler<PathRef> = async (view, { params, fields }) => {
  const ref = refOf(params);
  const text = readForm(SitePageInput, fields, ['title', 'body']);
  const unchanged = shownUnchanged(fields, valuesOf);
  await writeSitePage(view.ctx, view.viewer.caller.userId, ref, text, unchanged);
  return `${editPath(ref)}?done=saved`;
};

const restore: FormHandler<PathRef> = async (view, { params }) => {
  const ref = refOf(params);
  await restoreSitePage(view.ctx, view.viewer.caller, ref);
  return `${editPath(ref)}?done=restored`;
};
