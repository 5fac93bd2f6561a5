import { attribute, html, type Html } from '../../platform/html.ts';
import { formatDay, formatNumber, speak, type Say } from '../../platform/pages/catalog.ts';
import { failureText, failureTitle } from '../../platform/pages/failures.ts';
import { languageOf, type Language } from '../../platform/pages/language.ts';
import { page } from '../../platform/pages/page.ts';
import type { Call, Pages, RawAnswer } from '../../platform/http/route.ts';
import { Problem } from '../../platform/problems.ts';
import { readPortal } from './portal.ts';
import { longestResponse, positions, type DecisionMakerResponse, type Portal } from './schema.ts';
import { portalTexts } from './texts.ts';
import { addressed } from './wording.ts';

/** What was typed into the form, and what is wrong with it. */
interface Attempt {
  body: string;
  status: string;
  problem: Problem;
}

/** To whom the page speaks, and how. */
interface Reader extends Pick<Call, 'header'> {
  language: Language;
  say: Say<keyof (typeof portalTexts)['en']>;
}

const readerOf = ({ header, headers }: Call): Reader => {
  const language = languageOf(headers);
  return { header, language, say: speak(portalTexts, language) };
};

const showFailure: Pages['showFailure'] = async (call, problem) => {
  const reader = readerOf(call);
  const retry = problem.kind === 'validation-failed' || problem.kind === 'conflict';
  const portal = retry && (await portalIfThere(call));
  if (portal) return portalPage(reader, portal, { ...typed(call.body), problem });
  const title = failureTitle(reader.language, problem);
  return privatePage(reader, title, alert(failureText(reader.language, problem)));
};

/** The pages of reading the portal. */
export const portalPages: Pages<Portal> = {
  show: (call, portal) => portalPage(readerOf(call), portal),
  showFailure,
};

/** The pages of responding. */
export const responsePages: Pages<DecisionMakerResponse> = {
  show(call, response) {
    const reader = readerOf(call);
    const { say } = reader;
    return privatePage(
      reader,
      say('thanks'),
      html`<p class="lead">${say('thanks_lead')}</p>${written(reader, response)}`,
    );
  },
  showFailure,
};

async function portalIfThere({ ctx, params }: Call): Promise<Portal | undefined> {
  try {
    return await readPortal(ctx, params.token!);
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/** The fields of a form that was sent, which may be none at all. */
function typed(sent: unknown): { body: string; status: string } {
  const { body, status } = (sent ?? {}) as { body?: unknown; status?: unknown };
  return {
    body: typeof body === 'string' ? body : '',
    status: typeof status === 'string' ? status : '',
  };
}

function portalPage(reader: Reader, portal: Portal, attempt?: Attempt): RawAnswer {
  const { say, language } = reader;
  const { petition, decision_maker: maker, signature_count: count, response } = portal;
  const { signature_goal: goal, creator } = petition;
  const to = html`<bdi>${addressed(maker)}</bdi>`;
  const by = creator && html`<bdi>${creator.display_name}</bdi>`;
  return privatePage(
    reader,
    petition.title,
    html`${attempt && alert(failureOf(reader, attempt.problem))}
<p class="lead">${by ? say('petition_by', { creator: by, maker: to }) : say('petition_to', { maker: to })}</p>
<p class="number"><strong>${say('signatures', { count })}</strong>${
      goal !== null &&
      html` <span class="quiet">${say('of_goal', { goal: formatNumber(language, goal) })}</span>`
    }</p>
<section class="panel"><h2>${say('asks')}</h2><div class="text" dir="auto">${petition.description}</div></section>
${
  response
    ? html`<section><h2>${say('responded')}</h2>${written(reader, response)}</section>`
    : form(reader, portal, attempt)
}`,
  );
}

function form(
  { say, language }: Reader,
  { link_expires_at }: Portal,
  attempt: Attempt | undefined,
): Html {
  const day = formatDay(language, new Date(link_expires_at));
  const radio = (position: (typeof positions)[number]) =>
    html`<label class="choice"><input type="radio" name="status" value="${position}"${attribute(
      'checked',
      attempt?.status === position,
    )}> <span>${say(position)}</span></label>\n`;
  // The parser drops a line break at the beginning of a text area; it is not one of the text.
  return html`<form method="post"><h2>${say('your_response')}</h2>
<p>${say('explanation', { day })}</p>
<div class="field"><label for="body">${say('your_response')}</label>
<textarea id="body" name="body" rows="12" maxlength="${longestResponse}" required dir="auto">
${attempt?.body}</textarea></div>
<fieldset class="field"><legend>${say('your_position')}</legend>
${positions.map(radio)}</fieldset>
<button class="large">${say('send')}</button></form>`;
}

/** A response as its author reads it. */
function written({ say, language }: Reader, { body, status, created_at }: DecisionMakerResponse) {
  const day = formatDay(language, new Date(created_at));
  return html`<p>${status ? say('written_with', { day, position: say(status) }) : say('written_on', { day })}</p>
<blockquote class="text" dir="auto">${body}</blockquote>`;
}

const wrongs = { body: 'wrong_body', status: 'wrong_status' } as const;

function failureOf({ say, language }: Reader, problem: Problem): Html {
  if (problem.code === 'already_responded') return say('already');
  const names = new Set(
    (problem.errors ?? []).flatMap(({ field }) =>
      field === 'body' || field === 'status' ? [wrongs[field]] : [],
    ),
  );
  if (names.size === 0) return failureText(language, problem);
  return html`${[...names].map((name, index) => html`${index > 0 && html`<br>`}${say(name, { limit: longestResponse })}`)}`;
}

const alert = (content: Html) => html`<p role="alert">${content}</p>`;

/** A page for the holder of the link alone: kept by no cache and no search engine. */
function privatePage({ header, language }: Reader, title: Html | string, content: Html): RawAnswer {
  header('x-robots-tag', 'noindex');
  header('vary', 'Accept, Accept-Language, Cookie');
  return page(header, { title, language, main: html`<h1 dir="auto">${title}</h1>\n${content}` });
}
