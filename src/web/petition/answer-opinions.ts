import { Type, type Static } from 'typebox';
import {
  giveOpinion,
  withdrawOpinion,
  type OwnOpinions,
} from '../../campaigns/answer-opinions/answer-opinions.ts';
import {
  opinions,
  OpinionInput,
  type Opinion,
  type OpinionSums,
} from '../../campaigns/answer-opinions/schema.ts';
import type { DecisionMakerResponse } from '../../campaigns/decision-makers/schema.ts';
import { html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { idOf } from '../../platform/http/schema.ts';
import { formatPercent, speak } from '../../platform/pages/catalog.ts';
import {
  formToken,
  hiddenFields,
  readForm,
  textOf,
  type FormHandler,
  type Site,
  type View,
} from '../site/site.ts';
import { codeIn, pathTo, SlugRef } from './addresses.ts';
import { petitionTexts } from './texts.ts';

const AnswerRef = Type.Object({ ...SlugRef.properties, id: idOf('the response') });

export const opinionRoutes = (site: Site): Route[] => [
  site.form({
    id: 'submitOpinion',
    path: '/p/{slug}/responses/{id}/opinion',
    access: 'user',
    params: AnswerRef,
    act: submit,
  }),
];

const submit: FormHandler<Static<typeof AnswerRef>> = async (
  { ctx, viewer: { caller } },
  { params: { slug, id }, fields },
) => {
  const code = codeIn(fields);
  if (textOf(fields, 'withdraw')) await withdrawOpinion(ctx, caller, { id, code });
  else {
    const { opinion } = readForm(OpinionInput, fields, ['opinion'], { required: ['opinion'] });
    await giveOpinion(ctx, caller, { id, code }, opinion);
  }
  const below = textOf(fields, 'list') ? { below: 'responses' } : {};
  return pathTo(slug, { ...below, code, hash: anchorOf({ id }) });
};

/** Of a response on the page of its petition. */
export const anchorOf = ({ id }: Pick<DecisionMakerResponse, 'id'>): string => `answer-${id}`;

export interface OpinionsOptions {
  slug: string;
  code: string | undefined;
  /** Of the viewer; undefined if they have no signature that counts. */
  own: OwnOpinions | undefined;
  /** On the page of all responses, to which the form then leads back. */
  isOnList?: boolean;
}

/** What signers think of a response; buttons for viewers who are signers. */
export const opinionsOf = (
  view: View,
  response: DecisionMakerResponse,
  { own, ...options }: OpinionsOptions,
): Html =>
  html`${response.opinions && sumsOf(view, response.opinions)}${
    own && opinionForm(view, response.id, { ...options, opinion: own.get(response.id) })
  }`;

/** A bar, and the same in words. */
function sumsOf({ language }: View, sums: NonNullable<OpinionSums>): Html {
  const say = speak(petitionTexts, language);
  let start = 0;
  const parts = opinions.map((opinion) => {
    const width = (100 * sums[opinion]) / sums.total;
    const part = html`<rect class="${opinion}" x="${start.toFixed(2)}" width="${width.toFixed(2)}" height="8"/>`;
    start += width;
    return part;
  });
  return html`<div class="opinions"><p class="small"><strong>${say('opinions', { count: sums.total })}</strong></p>
<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">${parts}</svg>
<ul class="small">
${opinions.map((opinion) => html`<li><span class="${opinion}" aria-hidden="true"></span>${say(`opinion_${opinion}`)}: ${say('opinion_share', { count: sums[opinion], share: formatPercent(language, sums[opinion] / sums.total) })}</li>\n`)}</ul></div>
`;
}

/** Three buttons; the chosen one is pressed. */
function opinionForm(
  view: View,
  responseId: string,
  {
    slug,
    code,
    isOnList,
    opinion: chosen,
  }: Omit<OpinionsOptions, 'own'> & { opinion: Opinion | undefined },
): Html {
  const say = speak(petitionTexts, view.language);
  const labelId = `asked-${responseId}`;
  const action = pathTo(slug, { below: `responses/${responseId}/opinion` });
  return html`<form class="opinion" method="post" action="${action}">${formToken(view)}${hiddenFields({ access_code: code, list: isOnList ? 'yes' : undefined })}
<p id="${labelId}"><strong>${say('opinion_asked')}</strong> <span class="small quiet">${say('opinion_hint')}</span></p>
<div class="row" role="group" aria-labelledby="${labelId}">
${opinions.map((opinion) => html`<button class="second" name="opinion" value="${opinion}" aria-pressed="${String(opinion === chosen)}">${say(`opinion_${opinion}`)}</button>\n`)}${
    chosen &&
    html`<button class="plain" name="withdraw" value="yes">${say('opinion_withdraw')}</button>\n`
  }</div>
</form>
`;
}
