import { Type, type Static } from 'typebox';
import { html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { formatDay, speak } from '../../platform/pages/catalog.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import {
  acceptInvitation,
  declineInvitation,
  readInvitation,
} from '../../campaigns/organizers/organizers.ts';
import {
  actionForm,
  noIndex,
  sitePage,
  type FormHandler,
  type PageHandler,
  type Site,
  type View,
} from '../site/site.ts';
import { petitionPath } from './dashboard-layout.ts';
import { organizerTexts } from './texts.ts';

const TokenRef = Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) });
type TokenRef = Static<typeof TokenRef>;

/** The page that an invitation leads to: what it is about for all who have the link, accepting it for accounts. */
export const invitationRoutes = (site: Site): Route[] => [
  ...site.page({
    id: 'showOrganizerInvitation',
    path: '/organizers/{token}',
    closedToCrawlers: true,
    access: 'anyone',
    params: TokenRef,
    show,
    buttons: [{ id: 'submitInvitationRefusal', at: '/decline', act: decline }],
  }),
  ...site.page({
    id: 'showInvitationAcceptance',
    path: '/organizers/{token}/accept',
    closedToCrawlers: true,
    access: 'user',
    params: TokenRef,
    show: showAcceptance,
    forms: { accept: { id: 'submitInvitationAcceptance', act: accept } },
  }),
];

/** Opening it changes nothing: mail scanners open links too. */
const show: PageHandler<TokenRef, View> = async (view, { params: { token }, query }) => {
  const say = speak(organizerTexts, view.language);
  if (query.done === 'declined') {
    return privatePage(view, say('declined'), html`<p class="lead">${say('declined_lead')}</p>`);
  }
  const path = `/organizers/${token}`;
  return privatePage(
    view,
    say('invitation'),
    html`${await contents(view, token)}<div class="row"><a class="button large" href="${path}/accept">${say('accept')}</a>
${actionForm(view, { action: `${path}/decline`, submit: say('decline'), buttonClass: 'second' })}</div>`,
  );
};

/** Asks once more, now that it is clear by which account. */
const showAcceptance: PageHandler<TokenRef> = async (view, { params: { token } }) => {
  const say = speak(organizerTexts, view.language);
  const { display_name: name } = view.viewer.user;
  return privatePage(
    view,
    say('invitation'),
    html`${await contents(view, token)}<p>${say('accept_as', { name: html`<bdi>${name}</bdi>` })}</p>
${actionForm(view, { action: `/organizers/${token}/accept`, submit: say('accept'), buttonClass: 'large' })}`,
  );
};

async function contents(view: View, token: string): Promise<Html> {
  const say = speak(organizerTexts, view.language);
  const {
    petition,
    invited_by: by,
    role,
    expires_at: until,
  } = await readInvitation(view.ctx, token);
  const name = html`<bdi>${by.display_name}</bdi>`;
  const attributes = languageAttributes(petition.language, view.language);
  return html`<p class="lead">${say('invitation_lead', { name })}</p>
<section class="panel"><h2${attributes}>${petition.title}</h2>
<p>${say(`${role}_meaning`)}</p>
<p>${say('succession_meaning', { name })}</p>
<p class="small quiet">${say('invitation_until', { day: formatDay(view.language, new Date(until)) })}</p></section>
`;
}

const privatePage = (view: View, title: Html, main: Html) => {
  view.header('x-robots-tag', 'noindex');
  view.header('referrer-policy', 'no-referrer');
  view.header('cache-control', 'no-store');
  return sitePage(view, { title, head: noIndex, main: html`<h1>${title}</h1>\n${main}` });
};

const accept: FormHandler<TokenRef> = async ({ ctx, viewer }, { params: { token } }) => {
  const { petition_id: id } = await acceptInvitation(ctx, viewer.caller, token);
  return petitionPath({ id }, 'organizers');
};

const decline: FormHandler<TokenRef, View> = async ({ ctx }, { params: { token } }) => {
  await declineInvitation(ctx, token);
  return `/organizers/${token}?done=declined`;
};
