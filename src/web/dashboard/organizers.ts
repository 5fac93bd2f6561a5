import { Type, type Static } from 'typebox';
import { html, type Html } from '../../platform/html.ts';
import type { RawAnswer, Route } from '../../platform/http/route.ts';
import { formatDay, speak } from '../../platform/pages/catalog.ts';
import {
  findHandOver,
  inviteOrganizer,
  listOrganizers,
  maxOrganizers,
  offerHandOver,
  removeOrganizer,
  takeOver,
  withdrawHandOver,
} from '../../campaigns/organizers/organizers.ts';
import {
  OrganizerInput,
  organizerRoles,
  type HandOver,
  type Organizer,
} from '../../campaigns/organizers/schema.ts';
import { getOrganizedPetition, type ManagedPetition } from '../../campaigns/petitions/manage.ts';
import { getOwnPetition } from '../../campaigns/petitions/read.ts';
import {
  doneNotice,
  formFor,
  panel,
  postForm,
  readForm,
  stateOf,
  type FormHandler,
  type FormState,
  type OwnView,
  type PageHandler,
  type PageRequest,
  type Site,
} from '../site/site.ts';
import { askedStep, confirmationPage } from './confirmation.ts';
import {
  actionButton,
  namedLabel,
  petitionPage,
  petitionPath,
  petitionRoute,
} from './dashboard-layout.ts';
import { organizerTexts } from './texts.ts';

type Ref = { id: string };

const OrganizerParams = Type.Object({
  id: Type.String(),
  organizer: Type.String({ format: 'uuid' }),
});
type OrganizerParams = Static<typeof OrganizerParams>;

const { path: pagePath, access } = petitionRoute('/organizers');

/** Those who organize a petition with its creator, and handing it over. */
export const organizerRoutes = (site: Site): Route[] => [
  ...site.page({
    id: 'showOrganizers',
    ...petitionRoute('/organizers'),
    show: organizersPage,
    forms: { invite: { id: 'submitOrganizer', once: true, act: invite } },
    buttons: [
      { id: 'submitHandOverAcceptance', at: '/hand-over/accept', act: accept },
      { id: 'submitHandOverWithdrawal', at: '/hand-over/end', act: withdraw },
    ],
  }),
  site.form({
    id: 'submitOrganizerRemoval',
    path: `${pagePath}/{organizer}/remove`,
    access,
    params: OrganizerParams,
    act: remove,
  }),
  site.form({
    id: 'submitHandOver',
    path: `${pagePath}/{organizer}/hand-over`,
    access,
    params: OrganizerParams,
    act: offer,
  }),
];

const organizersPage: PageHandler<Ref> = (view, request) =>
  showOrganizers(view, request, stateOf(request, 'invite', { role: 'editor' }));

async function showOrganizers(
  view: OwnView,
  { params, query }: Pick<PageRequest<Ref>, 'params' | 'query'>,
  state: FormState,
): Promise<RawAnswer> {
  const { ctx, viewer } = view;
  const say = speak(organizerTexts, view.language);
  const managed = await getOrganizedPetition(ctx, viewer.caller, params.id);
  const { petition, permissions: may } = managed;
  const [{ items }, handOver] = await Promise.all([
    listOrganizers(ctx, viewer.caller, petition.id, { limit: maxOrganizers }),
    findHandOver(ctx, viewer.caller, petition.id),
  ]);
  return petitionPage(view, petition, {
    current: 'organizers',
    may,
    main: [
      doneNotice(say, query.done, [
        'done_invited',
        'done_removed',
        'done_offered',
        'done_offer_ended',
        'done_taken',
      ]),
      handOver && offerPanel(view, managed, handOver),
      html`<p class="hint">${say('roles_hint')}</p>
<ul class="list">
${petition.creator && html`<li><h3><bdi>${petition.creator.display_name}</bdi></h3>\n<p class="row small"><span class="badge">${say('creator')}</span></p></li>\n`}${items.map(
        (one) => listItem(view, managed, one, handOver),
      )}</ul>\n`,
      may.isCreator && inviteForm(view, managed, state),
    ],
  });
}

/** What becomes of an offer: to its recipient, to the creator, and to the others. */
function offerPanel(
  view: OwnView,
  { petition, permissions: may }: ManagedPetition,
  { organizer: { user }, offered_at: at }: HandOver,
): Html {
  const say = speak(organizerTexts, view.language);
  const path = petitionPath(petition, 'organizers');
  const day = formatDay(view.language, new Date(at));
  const name = html`<bdi>${user?.display_name}</bdi>`;
  const creator = html`<bdi>${petition.creator?.display_name}</bdi>`;
  if (user?.id === view.viewer.user.id) {
    return panel(say('offered_to_you', { name: creator }), [
      html`<p>${say('taking_over_meaning')}</p>\n<div class="row">`,
      actionButton(view, `${path}/hand-over/accept`, say('take_over'), ''),
      actionButton(view, `${path}/hand-over/end`, say('decline')),
      html`</div>`,
    ]);
  }
  return html`<div class="notice"><p>${say('offered', { name, day })}</p>
${may.isCreator && actionButton(view, `${path}/hand-over/end`, say('take_back'))}</div>\n`;
}

function listItem(
  view: OwnView,
  { petition, permissions: may }: ManagedPetition,
  { id, email, user, role, state, created_at: at }: Organizer,
  handOver: HandOver | undefined,
): Html {
  const say = speak(organizerTexts, view.language);
  const path = `${petitionPath(petition, 'organizers')}/${id}`;
  const isViewer = user?.id === view.viewer.user.id;
  const name = user?.display_name ?? email ?? '';
  const day = formatDay(view.language, new Date(at));
  const button = (below: string, label: Html) =>
    actionButton(view, `${path}/${below}`, namedLabel(label, name));
  const canBeOffered = may.isCreator && state === 'active' && handOver?.organizer.id !== id;
  return html`<li><h3>${user ? html`<bdi>${name}</bdi>` : html`<bdi dir="ltr">${name || say('invited_person')}</bdi>`}</h3>
<p class="row small"><span class="badge">${say(role)}</span> ${
    state === 'invited' && html`<span class="quiet">${say('invited', { day })}</span>`
  }</p>
<div class="row">${canBeOffered && button('hand-over', say('hand_over'))}${
    (may.isCreator || isViewer) &&
    button('remove', say(isViewer ? 'leave' : state === 'invited' ? 'uninvite' : 'remove'))
  }</div></li>\n`;
}

function inviteForm(view: OwnView, { petition }: ManagedPetition, state: FormState): Html {
  const say = speak(organizerTexts, view.language);
  if (!view.viewer.user.email_verified_at) {
    return html`<p class="notice">${say('verify_first')}</p>\n`;
  }
  const form = formFor(view, state, OrganizerInput);
  return postForm(view, state, {
    action: petitionPath(petition, 'organizers'),
    className: 'panel',
    once: true,
    fields: [
      html`<h2>${say('invite')}</h2>\n<p class="hint">${say('invite_hint')}</p>\n`,
      form.text('email', { label: say('email'), type: 'email' }),
      form.select('role', {
        label: say('role'),
        options: organizerRoles.map((value) => ({ value, label: say(`${value}_option`) })),
      }),
    ],
    submit: say('send_invitation'),
  });
}

const invite: FormHandler<Ref> = async ({ ctx, viewer }, { params, fields }) => {
  const input = readForm(OrganizerInput, fields, ['email', 'role']);
  await inviteOrganizer(ctx, viewer.caller, params.id, input);
  return `${petitionPath(params, 'organizers')}?done=invited`;
};

const remove: FormHandler<OrganizerParams> = async ({ ctx, viewer }, { params }) => {
  const { organizer: organizerId, id } = params;
  const { permissions: may } = await getOrganizedPetition(ctx, viewer.caller, id);
  await removeOrganizer(ctx, viewer.caller, { ref: id, organizerId });
  return may.isCreator
    ? `${petitionPath(params, 'organizers')}?done=removed`
    : '/dashboard?done=left';
};

/** Says what handing over means, then offers. */
const offer: FormHandler<OrganizerParams> = async (view, { params, fields }) => {
  const { ctx, viewer } = view;
  const say = speak(organizerTexts, view.language);
  const petition = await getOwnPetition(ctx, viewer.caller, params.id);
  const path = petitionPath(petition, 'organizers');
  const step = askedStep(fields);
  if (step === 'change') return path;
  if (step === 'show') {
    return confirmationPage(view, petition, {
      current: 'organizers',
      title: say('hand_over'),
      preview: html`<p>${say('handing_over_meaning')}</p>`,
      reach: say('offer_told'),
      action: `${path}/${params.organizer}/hand-over`,
      fields: {},
      submit: say('hand_over'),
    });
  }
  await offerHandOver(ctx, viewer.caller, petition.id, { organizer_id: params.organizer });
  return `${path}?done=offered`;
};

const accept: FormHandler<Ref> = async ({ ctx, viewer }, { params }) => {
  const petition = await takeOver(ctx, viewer.caller, params.id);
  return `${petitionPath(petition, 'organizers')}?done=taken`;
};

const withdraw: FormHandler<Ref> = async ({ ctx, viewer }, { params }) => {
  await withdrawHandOver(ctx, viewer.caller, params.id);
  return `${petitionPath(params, 'organizers')}?done=offer_ended`;
};
