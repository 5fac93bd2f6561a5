import { positionTexts } from '../../campaigns/decision-makers/decision-makers.ts';
import type {
  DecisionMakerResponse,
  ResponsePreview,
} from '../../campaigns/decision-makers/schema.ts';
import { html, type Html } from '../../platform/html.ts';
import { formatDay, speak } from '../../platform/pages/catalog.ts';
import { markdownText } from '../../platform/pages/markdown-text.ts';
import type { Reader } from './reader.ts';

type Answer = Pick<ResponsePreview, 'body' | 'status' | 'not_responsible' | 'responsible'>;

/** A response without its author: the position, whose it is to decide, and the text. */
export function responseText(
  { say, language, ctx }: Reader,
  { body, status, not_responsible: isSaid, responsible }: Answer,
): Html {
  return html`${
    status &&
    html`<p>${say('position', { position: speak(positionTexts, language)(status) })}</p>\n`
  }${
    isSaid &&
    html`<p>${responsible === null ? say('said_not_responsible') : say('said_responsible', { responsible: html`<bdi>${responsible}</bdi>` })}</p>\n`
  }<blockquote>${markdownText(body, ctx.config)}</blockquote>\n`;
}

/** A response of the reader, with its day. */
export const ownResponse = (reader: Reader, response: DecisionMakerResponse): Html =>
  html`<article class="panel"><p class="small quiet">${dayOf(reader, response)}</p>
${responseText(reader, response)}</article>\n`;

/** A response of another decision maker. */
export function responseOf(reader: Reader, response: DecisionMakerResponse): Html {
  const { name, title, verified } = response.decision_maker;
  return html`<article class="panel"><p><strong><bdi>${name}</bdi></strong>${
    title && html` <span class="quiet"><bdi>${title}</bdi></span>`
  }${verified && html` <span class="badge good">${reader.say('verified')}</span>`}<br><span class="small quiet">${dayOf(reader, response)}</span></p>
${responseText(reader, response)}</article>\n`;
}

const dayOf = ({ language }: Reader, { created_at: at }: DecisionMakerResponse): Html =>
  html`${formatDay(language, new Date(at))}`;
