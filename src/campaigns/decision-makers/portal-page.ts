import type { SiteProfile } from '../../platform/site/profile.ts';
import { attribute, html, type Html } from '../../platform/html.ts';
import type { Asset } from '../../platform/pages/assets.ts';
import { editorHint, editorOf, editorScript } from '../../platform/pages/editor.ts';
import { formatDay, formatNumber, speak, type Say } from '../../platform/pages/catalog.ts';
import { failureText, failureTitle } from '../../platform/pages/problem-pages.ts';
import { languageOf, type Language } from '../../platform/pages/language.ts';
import { page } from '../../platform/pages/page.ts';
import type { Call, Pages, RawAnswer } from '../../platform/http/route.ts';
import { Problem } from '../../platform/problems.ts';
import { markdownText } from '../../platform/pages/markdown-text.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import { portalScript } from './assets.ts';
import { markPortalOpened, readPortal } from './portal.ts';
import {
  maxResponseLength,
  positions,
  type DecisionMakerResponse,
  type Portal,
  type RenderedResponse,
} from './schema.ts';
import { portalTexts, positionTexts } from './texts.ts';
import { formatNameAndTitle } from './wording.ts';

/** The fields of a submitted form, and the problem with it. */
interface Submission {
  body: string;
  status: string;
  problem: Problem;
}

/** The language of the reader, and the function that returns texts in it. */
interface Reader extends Pick<Call, 'header'> {
  config: Call['ctx']['config'];
  site: SiteProfile;
  language: Language;
  say: Say<keyof (typeof portalTexts)['en']>;
}

const readerOf = ({ ctx, header, headers }: Call): Reader => {
  const site = ctx.site.current;
  const language = languageOf(headers, site);
  return { config: ctx.config, site, header, language, say: speak(portalTexts, language) };
};

const showFailure: Pages['showFailure'] = async (call, problem) => {
  const reader = readerOf(call);
  const wasSent = problem.kind === 'validation-failed' || problem.kind === 'conflict';
  const portal = wasSent && (await portalOfRefusedForm(call));
  if (portal) return portalPage(reader, portal, { ...formFields(call.body), problem });
  const title = failureTitle(reader.language, problem);
  return privatePage(reader, title, alert(failureText(reader.language, problem)));
};

/** The pages for GET. */
export const portalPages: Pages<Portal> = {
  show: (call, portal) => portalPage(readerOf(call), portal),
  showFailure,
};

/** The pages for POST. */
export const responsePages: Pages<RenderedResponse> = {
  show(call, response) {
    const reader = readerOf(call);
    const { say } = reader;
    return privatePage(
      reader,
      say('thanks'),
      html`<p class="lead">${say('thanks_lead')}</p>${responseText(reader, response)}`,
    );
  },
  showFailure,
};

/** Returns what the link shows, and marks it as opened: a refused form was sent by a person too. */
async function portalOfRefusedForm({ ctx, params }: Call): Promise<Portal | undefined> {
  try {
    await markPortalOpened(ctx, params.token!);
    return await readPortal(ctx, params.token!);
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/** Returns the fields of a submitted form, empty strings for missing ones. */
function formFields(requestBody: unknown): { body: string; status: string } {
  const { body, status } = (requestBody ?? {}) as { body?: unknown; status?: unknown };
  return {
    body: typeof body === 'string' ? body : '',
    status: typeof status === 'string' ? status : '',
  };
}

function portalPage(reader: Reader, portal: Portal, submission?: Submission): RawAnswer {
  const { say, language, config } = reader;
  const { petition, decision_maker: maker, signature_count: count, response } = portal;
  const { signature_goal: goal, creator } = petition;
  const to = html`<bdi>${formatNameAndTitle(maker)}</bdi>`;
  const attributes = languageAttributes(petition.language, language);
  const by = creator && html`<bdi>${creator.display_name}</bdi>`;
  return privatePage(
    reader,
    petition.title,
    html`${submission && alert(failureOf(reader, submission.problem))}
<p class="lead">${by ? say('petition_by', { creator: by, maker: to }) : say('petition_to', { maker: to })}</p>
<p class="number"><strong>${say('signatures', { count })}</strong>${
      goal !== null &&
      html` <span class="quiet">${say('of_goal', { goal: formatNumber(language, goal) })}</span>`
    }</p>
<section class="panel"><h2>${say('asks')}</h2>${markdownText(petition.description, config, { attributes })}</section>
${
  response
    ? html`<section><h2>${say('responded')}</h2>${responseText(reader, response)}</section>`
    : form(reader, portal, submission)
}`,
    { scripts: [portalScript, editorScript], titleAttributes: attributes },
  );
}

function form(
  { say, language }: Reader,
  { link_expires_at }: Portal,
  submission: Submission | undefined,
): Html {
  const day = formatDay(language, new Date(link_expires_at));
  const sayPosition = speak(positionTexts, language);
  const radio = (position: (typeof positions)[number]) =>
    html`<label class="choice"><input type="radio" name="status" value="${position}"${attribute(
      'checked',
      submission?.status === position,
    )}> <span>${sayPosition(position)}</span></label>\n`;
  const isWrong = submission?.problem.errors?.some(({ field }) => field === 'body');
  // HTML parsers drop the line break after the start tag of a text area.
  const textArea = html`<textarea id="body" name="body" rows="12" maxlength="${maxResponseLength}" required dir="auto" aria-describedby="body-hint"${attribute('aria-invalid', isWrong && 'true')}>
${submission?.body}</textarea>`;
  return html`<form method="post"><h2>${say('your_response')}</h2>
<p>${say('explanation', { day })}</p>
<div class="field"><label for="body">${say('your_response')}</label>
<span class="hint" id="body-hint">${editorHint(language)}</span>
${editorOf({ language, id: 'body', textArea })}</div>
<fieldset class="field"><legend>${say('your_position')}</legend>
${positions.map(radio)}</fieldset>
<button class="large">${say('send')}</button></form>`;
}

/** Renders a response for its author. */
function responseText(
  { say, language, config }: Reader,
  { body, status, created_at }: DecisionMakerResponse,
) {
  const day = formatDay(language, new Date(created_at));
  return html`<p>${status ? say('written_with', { day, position: speak(positionTexts, language)(status) }) : say('written_on', { day })}</p>
<blockquote>${markdownText(body, config)}</blockquote>`;
}

const fieldErrors = { body: 'wrong_body', status: 'wrong_status' } as const;

function failureOf({ say, language }: Reader, problem: Problem): Html {
  if (problem.code === 'already_responded') return say('already');
  const names = new Set(
    (problem.errors ?? []).flatMap(({ field, code }) => {
      if (code === 'invalid_characters') return ['wrong_characters' as const];
      return field === 'body' || field === 'status' ? [fieldErrors[field]] : [];
    }),
  );
  if (names.size === 0) return failureText(language, problem);
  return html`${[...names].map((name, index) => html`${index > 0 && html`<br>`}${say(name, { limit: maxResponseLength })}`)}`;
}

const alert = (content: Html) => html`<p role="alert">${content}</p>`;

interface PrivatePageOptions {
  scripts?: readonly Asset[];
  /** Direction and language of the title. */
  titleAttributes?: Html;
}

/** A page that search engines do not index. The route sets `cache-control: no-store`. */
function privatePage(
  { header, language, site }: Reader,
  title: Html | string,
  content: Html,
  { scripts = [], titleAttributes = html` dir="auto"` }: PrivatePageOptions = {},
): RawAnswer {
  header('x-robots-tag', 'noindex');
  header('vary', 'Accept, Accept-Language, Cookie');
  const main = html`<h1${titleAttributes}>${title}</h1>\n${content}`;
  return page(header, { title, language, site, scripts, main });
}
