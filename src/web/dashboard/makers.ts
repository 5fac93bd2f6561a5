import { html, type Html } from '../../platform/html.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { isUuid } from '../../platform/ids.ts';
import { formatAgo, formatDay, speak } from '../../platform/pages/catalog.ts';
import { notFound } from '../../platform/problems.ts';
import {
  addMaker,
  deliver,
  getMaker,
  listMakers,
  listResponses,
  publishResponse,
  removeMaker,
  summaryOf,
} from '../../campaigns/decision-makers/decision-makers.ts';
import {
  DeliveryInput,
  summaryFormats,
  type DecisionMaker,
  type DecisionMakerResponse,
} from '../../campaigns/decision-makers/schema.ts';
import { isPublished, showOwnPetition } from '../../campaigns/petitions/petitions.ts';
import { DecisionMakerInput, type Petition } from '../../campaigns/petitions/schema.ts';
import {
  checkInput,
  doneNotice,
  field,
  formAlert,
  onceToken,
  given,
  nextLink,
  pageOf,
  selectField,
  textOf,
  type Fields,
  type FormState,
  type OwnView,
  type View,
} from '../site/site.ts';
import { actionButton, petitionPage, petitionPath } from './frame.ts';
import { makerFields, makerIn } from './maker-fields.ts';
import { makerTexts } from './maker-texts.ts';

/** Who can decide, how far the petition has come with each, and what they responded. */
export async function makersPage(
  view: OwnView,
  ref: string,
  query: Record<string, string>,
  state: FormState = { values: {} },
): Promise<RawAnswer> {
  const { ctx, viewer } = view;
  const say = speak(makerTexts, view.language);
  const petition = await showOwnPetition(ctx, viewer.caller, ref);
  const [makers, responses] = await Promise.all([
    listMakers(ctx, viewer.caller, petition.id, pageOf(query)),
    listResponses(ctx, viewer.caller, petition.id, { limit: 100 }),
  ]);
  const at = petitionPath(petition, 'makers');
  return petitionPage(view, petition, {
    current: 'makers',
    main: html`${doneNotice(say, query.done, ['done_added', 'done_removed', 'done_delivered', 'done_response'])}<p class="hint">${say('intro')}</p>
${
  makers.items.length > 0 &&
  html`<ul class="list">\n${makers.items.map((one) => listItem(view, petition, one))}</ul>`
}${nextLink(view, makers)}${
      responses.items.length > 0 &&
      html`<section id="responses"><h2>${say('responses')}</h2>
${responses.items.map((one) => response(view, petition, one))}</section>\n`
    }${isPublished(petition) && summaries(view, petition)}${formAlert(view, state)}<form class="panel" method="post" action="${at}">${onceToken(view)}
<h2>${say('add')}</h2>
${makerFields(view, state)}<button>${say('add')}</button>
</form>`,
  });
}

const badgeKinds: Record<DecisionMaker['state'], string> = {
  pending: '',
  sent: 'good',
  opened: 'good',
  responded: 'good',
  failed: 'bad',
};

function listItem(view: View, petition: Petition, maker: DecisionMaker): Html {
  const say = speak(makerTexts, view.language);
  const { id, name, title, email, state } = maker;
  const at = `${petitionPath(petition, 'makers')}/${id}`;
  const since = maker.responded_at ?? maker.opened_at ?? maker.delivered_at;
  return html`<li class="row between"><div>
<h2 dir="auto">${name}</h2>
<p class="small quiet">${title && html`<bdi>${title}</bdi><br>`}<bdi>${email}</bdi></p>
<p class="small"><span class="badge ${badgeKinds[state]}">${say(`state_${state}`)}</span> ${
    since && formatAgo(view.language, new Date(since), view.ctx.now())
  }</p></div>
<div class="row">${
    isPublished(petition) &&
    state !== 'responded' &&
    html`<a class="button second" href="${at}">${say(state === 'pending' ? 'deliver' : 'deliver_again')}<span class="visually-hidden" dir="auto"> ${name}</span></a>`
  }${
    state !== 'responded' &&
    actionButton(
      view,
      `${at}/remove`,
      html`${view.say('remove')}<span class="visually-hidden" dir="auto"> ${name}</span>`,
      'danger',
    )
  }</div></li>\n`;
}

function response(view: View, petition: Petition, one: DecisionMakerResponse): Html {
  const { language } = view;
  const say = speak(makerTexts, language);
  const { decision_maker: maker, status, state } = one;
  const day = new Date(one.published_at ?? one.created_at);
  return html`<article class="panel"><h3><bdi>${maker.name}</bdi></h3>
<p class="row small">${status && html`<span class="badge">${say(`position_${status}`)}</span>`} <span class="quiet">${say(
    state === 'published' ? 'response_published' : 'response_given',
    { day: formatDay(language, day) },
  )}</span></p>
<blockquote class="text" dir="auto">${one.body}</blockquote>
${
  state === 'submitted' &&
  html`<p class="small">${say('response_waits')}</p>
${actionButton(view, `${petitionPath(petition, 'makers')}/responses/${one.id}/publish`, say('publish_response'), '')}`
}</article>\n`;
}

function summaries(view: View, petition: Petition): Html {
  const say = speak(makerTexts, view.language);
  const at = `${petitionPath(petition, 'makers')}/summary`;
  return html`<p>${say('summary', { pdf: html`<a href="${at}.pdf">PDF</a>`, csv: html`<a href="${at}.csv">CSV</a>` })}</p>\n`;
}

/** One decision maker, to whom the petition can be delivered. */
export async function makerPage(
  view: OwnView,
  { ref, id }: { ref: string; id: string },
  state: FormState = { values: { summary: 'pdf' } },
): Promise<RawAnswer> {
  const { ctx, viewer } = view;
  const say = speak(makerTexts, view.language);
  if (!isUuid(id)) throw notFound('decision maker');
  const petition = await showOwnPetition(ctx, viewer.caller, ref);
  const { name, email } = await getMaker(ctx, viewer.caller, { ref, makerId: id });
  const who = { name: html`<bdi>${name}</bdi>`, email: html`<bdi>${email}</bdi>` };
  return petitionPage(view, petition, {
    current: 'makers',
    main: html`<h2>${say('deliver_to', who)}</h2>
<p>${say('deliver_text', who)}</p>
${formAlert(view, state)}<form method="post" action="${petitionPath(petition, 'makers')}/${id}">${onceToken(view)}
${field(view, state, {
  name: 'message',
  label: say('message'),
  hint: say('message_hint'),
  type: 'textarea',
  rows: 5,
  maxLength: 2000,
})}${selectField(view, state, {
      name: 'summary',
      label: say('attached'),
      options: summaryFormats.map((value) => ({ value, label: say(`attached_${value}`) })),
    })}<button>${say('deliver')}</button>
</form>
${summaries(view, petition)}`,
  });
}

export async function add(
  { ctx, viewer, header }: OwnView,
  ref: string,
  fields: Fields,
): Promise<RawAnswer> {
  const input = checkInput(DecisionMakerInput, makerIn(fields));
  await addMaker(ctx, viewer.caller, ref, input);
  return redirectTo(header, `${petitionPath({ id: ref }, 'makers')}?done=added`, 303);
}

export async function drop(
  { ctx, viewer, header }: OwnView,
  { ref, id }: { ref: string; id: string },
): Promise<RawAnswer> {
  await removeMaker(ctx, viewer.caller, { ref, makerId: id });
  return redirectTo(header, `${petitionPath({ id: ref }, 'makers')}?done=removed`, 303);
}

export async function send(
  { ctx, viewer, header }: OwnView,
  { ref, id }: { ref: string; id: string },
  fields: Fields,
): Promise<RawAnswer> {
  const message = textOf(fields, 'message');
  const input = checkInput(DeliveryInput, given({ message, summary: textOf(fields, 'summary') }));
  await deliver(ctx, viewer.caller, { ref, makerId: id }, input);
  return redirectTo(header, `${petitionPath({ id: ref }, 'makers')}?done=delivered`, 303);
}

export async function showResponse(
  { ctx, viewer, header }: OwnView,
  id: string,
): Promise<RawAnswer> {
  const { petition_id: petitionId } = await publishResponse(ctx, viewer.caller, id);
  const at = petitionPath({ id: petitionId }, 'makers');
  return redirectTo(header, `${at}?done=response#responses`, 303);
}

/** The summary that decision makers get with the mail. */
export async function summary(
  { ctx, viewer, header }: OwnView,
  ref: string,
  format: 'pdf' | 'csv',
): Promise<RawAnswer> {
  const file = await summaryOf(ctx, viewer.caller, ref, format);
  header('content-disposition', `attachment; filename="${file.filename}"`);
  header('cache-control', 'no-store');
  return { mediaType: file.contentType, body: file.content };
}
