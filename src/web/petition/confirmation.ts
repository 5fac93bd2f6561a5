import { html, type Html } from '../../platform/html.ts';
import type { RawAnswer, Route } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { notFound } from '../../platform/problems.ts';
import { logInBrowser } from '../../identity/browser-sessions/browser-sessions.ts';
import {
  requirePendingByToken,
  findPendingForBrowser,
  type Confirmation,
} from '../../campaigns/pending-signatures/pending-signatures.ts';
import { ConfirmationInput } from '../../campaigns/pending-signatures/schema.ts';
import { findPublishedPetition } from '../../campaigns/petitions/read.ts';
import {
  digitsIn,
  formFor,
  noIndex,
  actionForm,
  postForm,
  readForm,
  sitePage,
  stateOf,
  textOf,
  type FormState,
  type PageRequest,
  type Site,
  type View,
  type PageHandler,
  type FormHandler,
} from '../site/site.ts';
import { codeIn, doneIn, doneSigning, pathTo, SlugRef, type Done } from './addresses.ts';
import { petitionTexts } from './texts.ts';

export interface ConfirmationDeps {
  confirmation: Confirmation;
}

export function confirmationRoutes(site: Site, { confirmation }: ConfirmationDeps): Route[] {
  /** Confirms a signature, and logs its signer in where that is safe. */
  const confirm: FormHandler<SlugRef, View> = async (
    { ctx, header, headers, ip, browser, viewer },
    { params: { slug }, fields },
  ) => {
    const input = readForm(ConfirmationInput, fields, ['token', 'id', 'code'], {
      read: { code: (text) => digitsIn(text) || undefined },
    });
    const userAgent = headers['user-agent'];
    const confirming = { input, ip, userAgent, browserId: browser?.id };
    const { receipt, canLogIn: mayLogIn } = await confirmation.confirm(ctx, confirming);
    if (mayLogIn && !viewer) await logInBrowser(ctx, site.sessions, header, receipt.user_id);
    const code = codeIn(fields);
    const petition = await findPublishedPetition(ctx, receipt.petition_id);
    const canOpen = petition?.visibility !== 'private' || code !== undefined;
    const below = canOpen ? undefined : 'confirm';
    return pathTo(slug, { below, code, done: doneSigning(receipt) });
  };

  return site.page({
    id: 'showConfirmation',
    path: '/p/{slug}/confirm',
    access: 'anyone',
    params: SlugRef,
    show,
    forms: { confirm: { id: 'submitConfirmation', act: confirm } },
  });
}

/**
 * Asks for the code in the mail. The link in the mail leads to a button instead, since mail scanners open links but
 * press no buttons.
 */
const show: PageHandler<SlugRef, View> = async (view, request) => {
  const { params, query, refused } = request;
  if (refused) return showRefused(view, request, refused);
  const done = doneIn(query);
  if (done) return thanksPage(view, done);
  if (query.token !== undefined) return buttonPage(view, params.slug, query.token);
  if (!(await findPublishedPetition(view.ctx, params.slug))) throw notFound('petition');
  const { id = '', access_code = '' } = query;
  return codePage(view, params.slug, stateOf(request, 'confirm', { id, access_code }));
};

/** @throws {Problem} the one of the form, where its own page explains it best */
async function showRefused(
  view: View,
  { params: { slug } }: PageRequest<SlugRef>,
  { values, problem }: Required<FormState>,
): Promise<RawAnswer> {
  const say = speak(petitionTexts, view.language);
  if (problem.code === 'duplicate_signature') {
    const link = html`<p><a href="${pathTo(slug, { code: codeIn(values) })}">${say('to_petition')}</a></p>`;
    return confirmationPage(
      view,
      html`<p>${view.say('duplicate_signature')}</p>\n${link}`,
      say('already_signed_title'),
    );
  }
  if (textOf(values, 'token') || textOf(values, 'id') === '') throw problem;
  if (problem.code === 'too_many_tries') {
    return confirmationPage(view, html`<p role="alert">${say('too_many_tries')}</p>`);
  }
  if (problem.kind !== 'validation-failed') throw problem;
  return codePage(view, slug, { values, problem });
}

async function buttonPage(view: View, slug: string, token: string): Promise<RawAnswer | string> {
  const say = speak(petitionTexts, view.language);
  const { petitionId, displayName } = await requirePendingByToken(view.ctx, token);
  const petition = await findPublishedPetition(view.ctx, petitionId);
  const currentSlug = petition?.slug ?? petitionId;
  if (slug !== currentSlug) {
    return pathTo(currentSlug, { below: 'confirm', more: { token } });
  }
  return confirmationPage(
    view,
    html`<p class="lead" dir="auto">${petition?.title}</p>
<p>${say('confirm_lead', { name: html`<bdi>${displayName}</bdi>` })}</p>
${actionForm(view, {
  action: pathTo(slug, { below: 'confirm' }),
  hidden: { token },
  submit: say('confirm'),
  buttonClass: 'large',
})}`,
  );
}

/** Asks for the code. Shows the address of the mail only to the browser that requested it. */
async function codePage(view: View, slug: string, state: FormState): Promise<RawAnswer> {
  const say = speak(petitionTexts, view.language);
  const id = textOf(state.values, 'id');
  const code = codeIn(state.values);
  const pending = await findPendingForBrowser(view.ctx, id, view.browser?.id);
  const again = html`<a href="${pathTo(slug, { code, hash: 'sign' })}">${say('sign_again')}</a>`;
  const form = formFor(view, state, ConfirmationInput);
  return confirmationPage(
    view,
    html`<p>${
      pending
        ? say('mail_sent_to', { email: html`<strong><bdi>${pending.email}</bdi></strong>` })
        : say('mail_sent')
    }</p>
${postForm(view, state, {
  action: pathTo(slug, { below: 'confirm' }),
  hidden: { id, access_code: code },
  fields: form.text('code', { label: say('code'), required: true, digits: 6 }),
  submit: say('confirm'),
  buttonClass: 'large',
})}
<p class="small quiet">${say('no_mail', { again })}</p>`,
  );
}

/** For signers who cannot open the private petition without its code. */
function thanksPage(view: View, done: Done): RawAnswer {
  const say = speak(petitionTexts, view.language);
  return confirmationPage(view, html`<p>${view.say('saved')}</p>`, say(done));
}

const confirmationPage = (
  view: View,
  main: Html,
  title = speak(petitionTexts, view.language)('confirm_title'),
): RawAnswer =>
  sitePage(view, {
    title,
    head: noIndex,
    main: html`<h1>${title}</h1>\n${main}`,
  });
