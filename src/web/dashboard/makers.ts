import { Type, type Static } from 'typebox';
import { html, type Content, type Html } from '../../platform/html.ts';
import type { RawAnswer, Route } from '../../platform/http/route.ts';
import { formatAgo, formatDay, speak } from '../../platform/pages/catalog.ts';
import { markdownText } from '../../platform/pages/markdown-text.ts';
import {
  addMaker,
  deliverPetition,
  getMaker,
  listMakers,
  newestOwnResponses,
  newestResponses,
  positionTexts,
  publishResponse,
  removeMaker,
  getOwnSummaryFile,
} from '../../campaigns/decision-makers/decision-makers.ts';
import {
  DeliveryInput,
  summaryFormats,
  type DecisionMaker,
  type DecisionMakerResponse,
} from '../../campaigns/decision-makers/schema.ts';
import { isPublished } from '../../campaigns/petitions/policy.ts';
import { getEditablePetition, type ManagedPetition } from '../../campaigns/petitions/manage.ts';
import { getOwnPetition } from '../../campaigns/petitions/read.ts';
import {
  DecisionMakerInput,
  maxMakerNameLength,
  type Petition,
} from '../../campaigns/petitions/schema.ts';
import {
  doneNotice,
  formFor,
  listOf,
  pageOf,
  postForm,
  readForm,
  stateOf,
  type Fields,
  type FormHandler,
  type FormState,
  type OwnView,
  type PageHandler,
  type PageRequest,
  type Site,
  type View,
} from '../site/site.ts';
import { askedStep, confirmationPage } from './confirmation.ts';
import {
  actionButton,
  namedLabel,
  petitionPage,
  petitionPath,
  petitionRoute,
} from './dashboard-layout.ts';
import { makerTexts } from './texts.ts';

const listRoute = petitionRoute('/decision-makers');
const { path: at, access } = listRoute;

type Ref = { id: string };

export const MakerParams = Type.Object({
  id: Type.String(),
  maker: Type.String({ format: 'uuid' }),
});
export type MakerParams = Static<typeof MakerParams>;
const ResponseParams = Type.Object({
  id: Type.String(),
  response: Type.String({ format: 'uuid' }),
});

/** Decision makers of a petition, deliveries to them and their responses. */
export const makerRoutes = (site: Site): Route[] => [
  ...site.page({
    id: 'showMakers',
    ...listRoute,
    show: listPage,
    forms: { add: { id: 'submitMaker', once: true, act: add } },
  }),
  ...site.page({
    id: 'showMaker',
    path: `${at}/{maker}`,
    access,
    params: MakerParams,
    show: deliveryPage,
    forms: { delivery: { id: 'submitDelivery', once: true, act: send } },
    buttons: [{ id: 'submitMakerRemoval', at: '/remove', act: remove }],
  }),
  site.form({
    id: 'submitResponsePublishing',
    path: `${at}/responses/{response}/publish`,
    access,
    params: ResponseParams,
    act: publish,
  }),
  ...(['pdf', 'csv'] as const).flatMap((format) =>
    site.page({
      id: `showSummary${format === 'pdf' ? 'Pdf' : 'Csv'}`,
      ...petitionRoute(`/decision-makers/summary.${format}`),
      show: summaryFile(format),
    }),
  ),
];

/** Decision makers with the state of their deliveries, their responses, and a form for another one. */
const listPage: PageHandler<Ref> = async (view, request) => {
  const { ctx, viewer } = view;
  const { query } = request;
  const say = speak(makerTexts, view.language);
  const managed = await getEditablePetition(ctx, viewer.caller, request.params.id);
  const { petition, permissions: may } = managed;
  const [makers, responses] = await Promise.all([
    listMakers(ctx, viewer.caller, petition.id, pageOf(query)),
    responsesFor(view, managed),
  ]);
  const state = stateOf(request, 'add', suggestedIn(query, responses));
  return petitionPage(view, petition, {
    current: 'makers',
    may,
    main: [
      doneNotice(say, query.done, [
        'done_added',
        'done_removed',
        'done_delivered',
        'done_response',
      ]),
      html`<p class="hint">${say('intro')}</p>\n`,
      listOf(view, makers, { item: (maker) => listItem(view, managed, maker, responses) }),
      responses.length > 0 &&
        html`<section id="responses"><h2>${say('responses')}</h2>
${responses.map((response) => responseArticle(view, petition, response))}</section>\n`,
      may.isCreator && isPublished(petition) && summaryLinks(view, petition),
      postForm(view, state, {
        action: petitionPath(petition, 'makers'),
        className: 'panel',
        once: true,
        fields: [html`<h2 id="add">${say('add')}</h2>\n`, ...makerFields(view, state)],
        submit: say('add'),
      }),
    ],
  });
};

/** All responses for the creator, who publishes them; those that are published for editors. */
async function responsesFor(
  { ctx, viewer: { caller } }: OwnView,
  { petition: { id }, permissions: may }: ManagedPetition,
): Promise<DecisionMakerResponse[]> {
  if (may.isCreator) return newestOwnResponses(ctx, caller, id, maxResponses);
  return (await newestResponses(ctx, caller, id, { limit: maxResponses })).responses;
}

/** Responses that the page lists: more than 50 decision makers give in years. */
const maxResponses = 200;

/** The name that the response in the query suggests, filled into the form. */
function suggestedIn(
  { suggested }: Record<string, string>,
  responses: DecisionMakerResponse[],
): Fields {
  const named = responses.find(({ id }) => id === suggested)?.responsible;
  return named ? { name: Array.from(named).slice(0, maxMakerNameLength).join('') } : {};
}

/** The fields of a decision maker; `isOptional` where they stand in a form that can be sent without one. */
export function makerFields(
  view: View,
  state: FormState,
  { isOptional = false }: { isOptional?: boolean } = {},
): Content[] {
  const say = speak(makerTexts, view.language);
  const form = formFor(view, state, DecisionMakerInput);
  const need = isOptional ? { required: false, isConditional: true } : {};
  return [
    form.text('name', { label: say('name'), autocomplete: 'off', ...need }),
    form.text('title', { label: say('office'), hint: say('office_hint') }),
    form.text('email', {
      label: say('email'),
      hint: say('email_hint'),
      autocomplete: 'off',
      suggestsAddress: true,
      ...need,
    }),
  ];
}

export const readMaker = (fields: Fields): DecisionMakerInput =>
  readForm(DecisionMakerInput, fields, ['name', 'title', 'email'], { suggestsAddress: 'email' });

const badgeKinds: Record<DecisionMaker['state'] | 'sending', string> = {
  pending: '',
  sending: '',
  sent: 'good',
  opened: 'good',
  responded: 'good',
  failed: 'bad',
};

function listItem(
  view: View,
  { petition, permissions: may }: ManagedPetition,
  maker: DecisionMaker,
  responses: DecisionMakerResponse[],
): Html {
  const say = speak(makerTexts, view.language);
  const { id, name, title, email, verified, sending } = maker;
  const state = sending ? 'sending' : maker.state;
  const path = `${petitionPath(petition, 'makers')}/${id}`;
  const responded = state === 'responded' ? maker.responded_at : null;
  const since = responded ?? maker.opened_at ?? maker.delivered_at;
  const given = responses.filter(({ decision_maker }) => decision_maker.id === id);
  return html`<li class="row between"><div>
<h2 dir="auto">${name}${verified && html` <span class="badge good">${say('verified')}</span>`}</h2>
<p class="small quiet">${title && html`<bdi>${title}</bdi><br>`}<bdi>${email}</bdi></p>
<p class="small"><span class="badge ${badgeKinds[state]}">${say(`state_${state}`)}</span> ${
    since && formatAgo(view.language, new Date(since), view.ctx.now())
  }</p>${
    given.length > 0 &&
    html`\n<ul class="small">${given.map((one) => html`<li><a href="#r-${one.id}">${say('response_given', { day: formatDay(view.language, new Date(one.created_at)) })}</a>${positionBadge(view, one)}</li>\n`)}</ul>`
  }</div>
<div class="row">${
    may.isCreator &&
    isPublished(petition) &&
    html`<a class="button second" href="${path}">${namedLabel(say(maker.state === 'pending' && !sending ? 'deliver' : 'deliver_again'), name)}</a>`
  }${
    maker.responded_at === null &&
    actionButton(view, `${path}/remove`, namedLabel(view.say('remove'), name), 'danger')
  }</div></li>\n`;
}

const positionBadge = ({ language }: View, { status }: DecisionMakerResponse) =>
  status && html` <span class="badge">${speak(positionTexts, language)(status)}</span>`;

function responseArticle(view: View, petition: Petition, response: DecisionMakerResponse): Html {
  const { id, decision_maker: maker, body, state, responsible, ...times } = response;
  const say = speak(makerTexts, view.language);
  const day = formatDay(view.language, new Date(times.published_at ?? times.created_at));
  const path = petitionPath(petition, 'makers');
  return html`<article class="panel" id="r-${id}"><h3><bdi>${maker.name}</bdi></h3>
<p class="row small">${positionBadge(view, response)} <span class="quiet">${say(
    state === 'published' ? 'response_published' : 'response_given',
    { day },
  )}</span></p>
${
  response.not_responsible &&
  html`<p>${
    responsible === null
      ? say('response_not_responsible')
      : html`${say('response_responsible', { responsible: html`<bdi>${responsible}</bdi>` })} <a href="${path}?suggested=${id}#add">${namedLabel(say('add_responsible'), responsible)}</a>`
  }</p>\n`
}<blockquote>${markdownText(body, view.ctx.config)}</blockquote>
${
  state === 'submitted' &&
  html`<p class="small">${say('response_waits')}</p>
${actionButton(view, `${path}/responses/${id}/publish`, say('publish_response'), '')}`
}</article>\n`;
}

function summaryLinks(view: View, petition: Petition): Html {
  const say = speak(makerTexts, view.language);
  const path = `${petitionPath(petition, 'makers')}/summary`;
  return html`<p>${say('summary', { pdf: html`<a href="${path}.pdf">PDF</a>`, csv: html`<a href="${path}.csv">CSV</a>` })}</p>\n`;
}

const deliveryPage: PageHandler<MakerParams> = (view, request) =>
  showDelivery(view, request.params, stateOf(request, 'delivery', { summary: 'pdf' }));

/** The form for delivering the petition to a decision maker. */
async function showDelivery(
  view: OwnView,
  { id: ref, maker: makerId }: MakerParams,
  state: FormState,
): Promise<RawAnswer> {
  const { ctx, viewer } = view;
  const say = speak(makerTexts, view.language);
  const petition = await getOwnPetition(ctx, viewer.caller, ref);
  const { name, email } = await getMaker(ctx, viewer.caller, { ref, makerId });
  const recipient = { name: html`<bdi>${name}</bdi>`, email: html`<bdi>${email}</bdi>` };
  const form = formFor(view, state, DeliveryInput);
  return petitionPage(view, petition, {
    current: 'makers',
    main: html`<h2>${say('deliver_to', recipient)}</h2>
<p>${say('deliver_text', recipient)}</p>
${postForm(view, state, {
  action: `${petitionPath(petition, 'makers')}/${makerId}`,
  once: true,
  fields: [
    form.text('message', {
      label: say('message'),
      hint: say('message_hint'),
      type: 'textarea',
      rows: 5,
    }),
    form.select('summary', {
      label: say('attached'),
      options: summaryFormats.map((value) => ({ value, label: say(`attached_${value}`) })),
    }),
  ],
  submit: say('look_at'),
})}${summaryLinks(view, petition)}`,
  });
}

const add: FormHandler<Ref> = async ({ ctx, viewer }, { params, fields }) => {
  await addMaker(ctx, viewer.caller, params.id, readMaker(fields));
  return `${petitionPath(params, 'makers')}?done=added`;
};

const remove: FormHandler<MakerParams> = async ({ ctx, viewer }, { params }) => {
  await removeMaker(ctx, viewer.caller, { ref: params.id, makerId: params.maker });
  return `${petitionPath(params, 'makers')}?done=removed`;
};

/** Shows the message with its recipient, then sends it. */
const send: FormHandler<MakerParams> = async (view, { params, fields }) => {
  const { ctx, viewer, language } = view;
  const step = askedStep(fields);
  if (step === 'change') return showDelivery(view, params, { values: fields });
  const input = readForm(DeliveryInput, fields, ['message', 'summary']);
  const reference = { ref: params.id, makerId: params.maker };
  if (step === 'show') {
    const say = speak(makerTexts, language);
    const petition = await getOwnPetition(ctx, viewer.caller, params.id);
    const { name, email } = await getMaker(ctx, viewer.caller, reference);
    const recipient = { name: html`<bdi>${name}</bdi>`, email: html`<bdi>${email}</bdi>` };
    const { message, summary = 'pdf' } = input;
    return confirmationPage(view, petition, {
      current: 'makers',
      title: say('deliver_to', recipient),
      preview: html`${message ? html`<p class="lines" dir="auto">${message}</p>` : html`<p class="quiet">${say('no_message')}</p>`}
<p class="small">${say('attached')}: ${say(`attached_${summary}`)}</p>`,
      reach: say('deliver_text', recipient),
      action: `${petitionPath(petition, 'makers')}/${params.maker}`,
      fields: { summary, ...(message && { message }) },
      submit: say('deliver'),
    });
  }
  await deliverPetition(ctx, viewer.caller, reference, input);
  return `${petitionPath(params, 'makers')}?done=delivered`;
};

const publish: FormHandler<Static<typeof ResponseParams>> = async ({ ctx, viewer }, { params }) => {
  const { petition_id: id } = await publishResponse(ctx, viewer.caller, params.response);
  return `${petitionPath({ id }, 'makers')}?done=response#responses`;
};

/** The summary that is attached to deliveries. */
const summaryFile =
  (format: 'pdf' | 'csv') =>
  async ({ ctx, viewer, header }: OwnView, { params }: PageRequest<Ref>): Promise<RawAnswer> => {
    const file = await getOwnSummaryFile(ctx, viewer.caller, params.id, format);
    header('content-disposition', `attachment; filename="${file.filename}"`);
    header('cache-control', 'no-store');
    return { mediaType: file.contentType, body: file.content };
  };
