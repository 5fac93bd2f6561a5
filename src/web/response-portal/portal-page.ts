import { markPortalOpened, readPortal } from '../../campaigns/decision-makers/decision-makers.ts';
import type {
  Portal,
  RenderedResponse,
  ResponsePreview,
} from '../../campaigns/decision-makers/schema.ts';
import { html, type Content, type Html } from '../../platform/html.ts';
import type { Call, Pages, RawAnswer } from '../../platform/http/route.ts';
import { formatDay } from '../../platform/pages/catalog.ts';
import { editorScript } from '../../platform/pages/editor.ts';
import { failureText, failureTitle } from '../../platform/pages/problem-pages.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import { Problem } from '../../platform/problems.ts';
import { hiddenFields } from '../site/site.ts';
import { portalScript } from './assets.ts';
import { briefing } from './briefing-page.ts';
import { readBriefing } from './briefing.ts';
import { privatePage, readerOf, type Reader } from './reader.ts';
import { failureOf, formFields, responseForm, type Fields } from './response-form.ts';
import { ownResponse, responseText } from './responses.ts';

const showFailure: Pages['showFailure'] = async (call, problem) => {
  const reader = readerOf(call);
  const wasSent = problem.kind === 'validation-failed' || problem.kind === 'conflict';
  const portal = wasSent && (await portalOfRefusedForm(call));
  if (portal) return refusedPage(reader, portal, formFields(call.body), problem);
  const title = failureTitle(reader.language, problem);
  return privatePage(reader, title, alert(failureText(reader.language, problem)));
};

/** The pages for GET. */
export const portalPages: Pages<Portal> = {
  async show(call, portal) {
    const reader = readerOf(call);
    const facts = await readBriefing(call.ctx, portal);
    const { petition } = portal;
    return privatePage(
      reader,
      petition.title,
      html`${briefing(reader, portal, facts)}${answerSection(reader, portal, noFields)}`,
      {
        scripts: [portalScript, editorScript],
        titleAttributes: languageAttributes(petition.language, reader.language),
      },
    );
  },
  showFailure,
};

/** The pages for POST of a preview. */
export const previewPages: Pages<ResponsePreview> = {
  show: (call, preview) => previewPage(readerOf(call), preview, formFields(call.body)),
  showFailure,
};

/** The pages for POST of a response. */
export const responsePages: Pages<RenderedResponse> = {
  show(call, response) {
    const reader = readerOf(call);
    const { say } = reader;
    return privatePage(
      reader,
      say('thanks'),
      html`<p class="lead">${say('thanks_lead')}</p>${ownResponse(reader, response)}`,
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

const noFields = formFields(undefined);

/** The response by this link, or the form for it. */
function answerSection(
  reader: Reader,
  { response, link_expires_at: expires }: Portal,
  fields: Fields,
  problem?: Problem,
): Html {
  const { say, language } = reader;
  if (response) {
    return html`<section id="answer"><h2>${say('responded')}</h2>${ownResponse(reader, response)}</section>\n`;
  }
  return html`<section id="answer"><h2>${say('your_response')}</h2>
<p>${say('explanation', { day: formatDay(language, new Date(expires)) })}</p>
${responseForm(reader, fields, problem)}</section>\n`;
}

/** A form that was refused. Has no briefing, whose reads could keep people from their text. */
function refusedPage(reader: Reader, portal: Portal, fields: Fields, problem: Problem): RawAnswer {
  const { petition } = portal;
  return privatePage(
    reader,
    petition.title,
    html`${alert(failureOf(reader, problem))}${answerSection(reader, portal, fields, problem)}`,
    {
      scripts: [editorScript],
      titleAttributes: languageAttributes(petition.language, reader.language),
    },
  );
}

/** A response as it will be shown, with a button that sends it and a form that changes it. */
function previewPage(reader: Reader, preview: ResponsePreview, fields: Fields): RawAnswer {
  const { say, path } = reader;
  const { name, title } = preview.decision_maker;
  const sent = Object.entries(fields).filter(([, value]) => value !== '');
  return privatePage(
    reader,
    say('preview_title'),
    html`<p class="lead">${say('preview_lead')}</p>
<article class="panel preview"><p><strong><bdi>${name}</bdi></strong>${title && html` <span class="quiet"><bdi>${title}</bdi></span>`}</p>
${responseText(reader, preview)}</article>
<form method="post" action="${path}">${hiddenFields(Object.fromEntries(sent))}<button class="large">${say('send')}</button></form>
<details class="panel change"><summary>${say('change')}</summary>
${responseForm(reader, fields)}</details>
`,
    { scripts: [editorScript] },
  );
}

const alert = (content: Content) => html`<p role="alert">${content}</p>\n`;
