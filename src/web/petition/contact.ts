import { contactOrganizer } from '../../campaigns/organizer-contact/organizer-contact.ts';
import { OrganizerMessage } from '../../campaigns/organizer-contact/schema.ts';
import { isPublished } from '../../campaigns/petitions/policy.ts';
import { showPetition } from '../../campaigns/petitions/read.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { findUser, isProven } from '../../identity/accounts/accounts.ts';
import { html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import {
  callerOf,
  doneNotice,
  formFor,
  noIndex,
  postForm,
  readForm,
  sitePage,
  stateOf,
  type FormHandler,
  type FormState,
  type OwnView,
  type PageHandler,
  type Site,
} from '../site/site.ts';
import { codeIn, pathTo, SlugRef } from './addresses.ts';
import { petitionStyles } from './assets.ts';
import { linkBack } from './link-back.ts';
import { petitionTexts } from './texts.ts';

/** Where readers write to the organizer of a petition. */
export const contactRoutes = (site: Site): Route[] =>
  site.page({
    id: 'showOrganizerContact',
    path: '/p/{slug}/contact',
    closedToCrawlers: true,
    access: 'user',
    params: SlugRef,
    show,
    forms: { contact: { id: 'submitOrganizerContact', act: send } },
  });

const show: PageHandler<SlugRef> = async (view, request) => {
  const { ctx, language } = view;
  const say = speak(petitionTexts, language);
  const state = stateOf(request, 'contact', request.query);
  const code = codeIn(state.values);
  const petition = await showPetition(ctx, callerOf(view), request.params.slug, code);
  return sitePage(view, {
    title: view.say('labelled', { label: say('contact'), value: petition.title }),
    styles: [petitionStyles],
    head: noIndex,
    main: html`${linkBack(view, petition, code)}<h1>${say('contact')}</h1>
${doneNotice(say, request.query.done, ['contact_sent'])}${await contents(view, petition, state, code)}`,
  });
};

async function contents(
  view: OwnView,
  petition: Petition,
  state: FormState,
  code: string | undefined,
): Promise<Html> {
  const say = speak(petitionTexts, view.language);
  const { user } = view.viewer;
  const notice = (text: Html | string) => html`<p class="notice">${text}</p>`;
  const { creator, slug } = petition;
  if (!creator || !isPublished(petition)) return notice(say('no_organizer'));
  if (creator.id === user.id) return notice(say('own_petition'));
  const organizer = await findUser(view.ctx.db, creator.id);
  if (!organizer || !isProven(organizer)) return notice(say('no_organizer'));
  if (!user.email_verified_at) {
    return html`${notice(say('contact_unverified'))}
<p><a class="button" href="/settings">${say('contact_verify')}</a></p>`;
  }
  const form = formFor(view, state, OrganizerMessage);
  return html`<p class="lead">${say('contact_lead', { name: html`<bdi>${creator.display_name}</bdi>`, email: html`<bdi>${user.email}</bdi>` })}</p>
${postForm(view, state, {
  action: pathTo(slug, { below: 'contact' }),
  className: 'panel',
  hidden: { access_code: code },
  fields: form.text('message', { label: say('contact_message'), type: 'textarea', rows: 8 }),
  submit: say('contact_send'),
})}`;
}

const send: FormHandler<SlugRef> = async (view, { params: { slug }, fields }) => {
  const code = codeIn(fields);
  const { message } = readForm(OrganizerMessage, fields, ['message']);
  await contactOrganizer(view.ctx, view.viewer.caller, { ref: slug, code, message });
  return pathTo(slug, { below: 'contact', code, more: { done: 'contact_sent' } });
};
