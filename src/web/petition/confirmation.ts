import { html, type Content, type Html } from '../../platform/html.ts';
import type { RawAnswer, Route } from '../../platform/http/route.ts';
import type { Asset } from '../../platform/pages/assets.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { notFound } from '../../platform/problems.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import { findUser } from '../../identity/accounts/accounts.ts';
import { logInBrowser, rememberAccount } from '../../identity/browser-sessions/browser-sessions.ts';
import {
  findPendingForBrowser,
  type AwaitedSignature,
  type Confirmation,
  type LinkedSignature,
} from '../../campaigns/pending-signatures/pending-signatures.ts';
import { ConfirmationInput } from '../../campaigns/pending-signatures/schema.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { findPublishedPetition, showPetition } from '../../campaigns/petitions/read.ts';
import { hasSigned } from '../../campaigns/signatures/signatures.ts';
import {
  captchaAssets,
  awaitedMailScript,
  callerOf,
  digitsIn,
  formFor,
  noIndex,
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
import {
  codeIn,
  doneIn,
  doneSigning,
  pathTo,
  referralOf,
  SlugRef,
  type Done,
} from './addresses.ts';
import { signBox } from './sign-box.ts';
import { petitionTexts } from './texts.ts';

export interface ConfirmationDeps {
  confirmation: Confirmation;
}

export function confirmationRoutes(site: Site, { confirmation }: ConfirmationDeps): Route[] {
  /** Confirms a signature, and logs its signer in where that is safe. */
  const confirm: FormHandler<SlugRef, View> = async (view, { params: { slug }, fields }) => {
    const { ctx, headers, ip, browser, viewer } = view;
    const input = readForm(ConfirmationInput, fields, confirmationFields, {
      read: { code: (text) => digitsIn(text) || undefined },
      required: fields.token === undefined ? [] : ['display_name'],
    });
    const confirming = { input, ip, headers, browserId: browser?.id };
    const { receipt, canLogIn: mayLogIn } = await confirmation.confirm(ctx, confirming);
    if (mayLogIn && !viewer) {
      await logInBrowser(site.sessions, view, receipt.user_id);
      const signer = await findUser(ctx.db, receipt.user_id);
      if (signer) rememberAccount(view, signer);
    }
    const code = codeIn(fields);
    const petition = await findPublishedPetition(ctx, receipt.petition_id);
    const canOpen = petition?.visibility !== 'private' || code !== undefined;
    const below = canOpen ? undefined : 'confirm';
    return pathTo(slug, { below, code, ...doneSigning(receipt) });
  };

  return site.page({
    id: 'showConfirmation',
    path: '/p/{slug}/confirm',
    closedToCrawlers: true,
    access: 'anyone',
    params: SlugRef,
    show: pageFor(confirmation),
    forms: { confirm: { id: 'submitConfirmation', act: confirm } },
  });
}

const confirmationFields = ['token', 'id', 'petition', 'email', 'code', 'display_name'] as const;

/**
 * Asks for the code in the mail. The link in the mail leads to a button instead, since mail scanners open links but
 * press no buttons.
 */
const pageFor =
  (confirmation: Confirmation): PageHandler<SlugRef, View> =>
  async (view, request) => {
    const { params, query, refused } = request;
    if (refused) return showRefused(view, confirmation, request, refused);
    const done = doneIn(query);
    if (done) return thanksPage(view, done);
    if (query.token !== undefined) return linkPage(view, confirmation, params.slug, query.token);
    if (!(await findPublishedPetition(view.ctx, params.slug))) throw notFound('petition');
    const { id, access_code = '' } = query;
    const values = { id: id ?? '', access_code };
    const state = stateOf(request, 'confirm', values);
    return id === undefined
      ? addressPage(view, params.slug, state, 'by_code_lead')
      : codePage(view, params.slug, state);
  };

/** @throws {Problem} the one of the form, where its own page explains it best */
async function showRefused(
  view: View,
  confirmation: Confirmation,
  { params: { slug } }: PageRequest<SlugRef>,
  { values, problem }: Required<Pick<FormState, 'values' | 'problem'>>,
): Promise<RawAnswer | string> {
  const say = speak(petitionTexts, view.language);
  if (problem.code === 'duplicate_signature') {
    return endedPage(view, slug, {
      title: say('already_signed_title'),
      text: view.say('duplicate_signature'),
      code: codeIn(values),
    });
  }
  if (problem.code === 'too_many_tries') {
    return confirmationPage(view, html`<p role="alert">${say('too_many_tries')}</p>`);
  }
  if (problem.kind !== 'validation-failed') throw problem;
  const state = { values, problem };
  if (textOf(values, 'token'))
    return linkPage(view, confirmation, slug, textOf(values, 'token'), state);
  return textOf(values, 'id')
    ? codePage(view, slug, state)
    : addressPage(view, slug, state, 'by_code_lead');
}

/** The page of the link in a mail. Mail programs put marks behind links, and cut them. */
async function linkPage(
  view: View,
  confirmation: Confirmation,
  slug: string,
  text: string,
  state: FormState = { values: {} },
): Promise<RawAnswer | string> {
  const token = /^[\w-]*/.exec(text)![0];
  const linked = await confirmation.findLinked(view.ctx, token, view.headers);
  if (!linked) return addressPage(view, slug, { values: {} }, 'link_incomplete');
  const petition = await findPublishedPetition(view.ctx, linked.petitionId);
  const currentSlug = petition?.slug ?? linked.petitionId;
  if (slug !== currentSlug) {
    return pathTo(currentSlug, { below: 'confirm', more: { token } });
  }
  if (linked.state !== 'waiting') {
    const say = speak(petitionTexts, view.language);
    return endedPage(view, slug, {
      title: say('link_used_title'),
      text: say(usedTexts[linked.state]),
    });
  }
  return buttonPage(view, slug, { token, petition, linked, state });
}

const usedTexts = {
  counted: 'link_used',
  held: 'held',
  invalid: 'not_counted',
  withdrawn: 'withdrawn',
} as const;

interface ButtonPage {
  token: string;
  petition: Petition | undefined;
  linked: LinkedSignature;
  state: FormState;
}

/** The title of the petition, if there is one to show. */
const petitionLine = (view: View, petition: Petition | undefined): Html | undefined =>
  petition &&
  html`<p class="lead"${languageAttributes(petition.language, view.language)}>${petition.title}</p>\n`;

/** Shows the name that the signature will have, to be corrected, and the button that confirms it. */
function buttonPage(view: View, slug: string, { token, petition, linked, state }: ButtonPage) {
  const say = speak(petitionTexts, view.language);
  const values = { display_name: linked.displayName, ...state.values };
  const form = formFor(view, { ...state, values }, ConfirmationInput);
  return confirmationPage(
    view,
    html`${petitionLine(view, petition)}<p>${say('confirm_lead')}</p>
${linked.endsAccess && html`<p class="notice warn">${say('ends_access')}</p>\n`}${postForm(
      view,
      state,
      {
        action: pathTo(slug, { below: 'confirm' }),
        hidden: { token },
        fields: form.text('display_name', {
          label: say('name'),
          hint: say('shown_name_hint'),
          autocomplete: 'name',
          required: true,
        }),
        submit: say('confirm'),
        buttonClass: 'large',
      },
    )}`,
  );
}

/** Asks for the address and the code, where the link in the mail did not arrive whole. */
async function addressPage(
  view: View,
  slug: string,
  state: FormState,
  lead: 'by_code_lead' | 'link_incomplete',
): Promise<RawAnswer> {
  const say = speak(petitionTexts, view.language);
  const code = codeIn(state.values);
  const again = html`<a href="${pathTo(slug, { code, hash: 'sign' })}">${say('sign_again')}</a>`;
  const form = formFor(view, state, ConfirmationInput);
  return confirmationPage(
    view,
    html`<p>${say(lead)}</p>
${postForm(view, state, {
  action: pathTo(slug, { below: 'confirm' }),
  hidden: { petition: slug, access_code: code },
  fields: html`${form.text('email', { label: say('email'), required: true, autocomplete: 'email' })}${form.text(
    'code',
    { label: say('code'), required: true, digits: 6 },
  )}`,
  submit: say('confirm'),
  buttonClass: 'large',
})}
<p class="small quiet">${say('no_mail', { again })}</p>`,
  );
}

/**
 * Asks for the code. Only the browser that sent the form is told that there is a mail, and to which address; another one
 * is asked for the address, too.
 */
async function codePage(view: View, slug: string, state: FormState): Promise<RawAnswer> {
  const say = speak(petitionTexts, view.language);
  const id = textOf(state.values, 'id');
  const code = codeIn(state.values);
  const pending = await findPendingForBrowser(view.ctx, id, view.browser?.id);
  if (!pending) return addressPage(view, slug, state, 'by_code_lead');
  if (pending.isConfirmed) {
    const text = say('confirmed_elsewhere');
    return endedPage(view, slug, { title: say('link_used_title'), text, code });
  }
  if (pending.hasBounced) return bouncedPage(view, slug, pending, code);
  // Its browser sent the form, so it may see the title of a private petition, too.
  const petition = await findPublishedPetition(view.ctx, slug);
  const again = html`<a href="${pathTo(slug, { code, hash: 'sign' })}">${say('sign_again')}</a>`;
  const form = formFor(view, state, ConfirmationInput);
  return confirmationPage(
    view,
    html`${petitionLine(view, petition)}<p data-awaits-confirmation>${say('mail_sent_to', { email: html`<strong><bdi>${pending.email}</bdi></strong>` })}</p>
${postForm(view, state, {
  action: pathTo(slug, { below: 'confirm' }),
  hidden: { id, access_code: code },
  fields: form.text('code', { label: say('code'), required: true, digits: 6 }),
  submit: say('confirm'),
  buttonClass: 'large',
})}
<p class="small quiet">${say('no_mail', { again })}</p>`,
    say('confirm_title'),
    // The address of a refused form names no signature.
    state.problem ? [] : [awaitedMailScript],
  );
}

/** Says that the mail came back, and shows the form again with what was typed. */
async function bouncedPage(
  view: View,
  slug: string,
  { email, displayName, input }: AwaitedSignature,
  code: string | undefined,
): Promise<RawAnswer> {
  const say = speak(petitionTexts, view.language);
  const caller = callerOf(view);
  const petition = await showPetition(view.ctx, caller, slug, code);
  const parts = {
    petition,
    hasSigned: caller !== null && (await hasSigned(view.ctx, petition.id, caller.userId)),
  };
  const values = {
    display_name: displayName,
    email,
    ...(input.display_location && { display_location: input.display_location }),
    ...(input.is_anonymous && { is_anonymous: 'on' }),
    ...(input.updates && { updates: 'on' }),
  };
  const arrival = referralOf({ ref: input.ref ?? '', utm_source: input.source ?? '' });
  const { scripts, sources } = captchaAssets(view);
  return sitePage(view, {
    title: say('mail_bounced_title'),
    head: noIndex,
    scripts,
    sources,
    main: html`<h1>${say('mail_bounced_title')}</h1>
${petitionLine(view, petition)}<p role="alert">${say('mail_bounced', { email: html`<strong><bdi>${email}</bdi></strong>` })}</p>
${signBox(view, { parts, code, arrival, state: { values } })}`,
  });
}

interface Ended {
  title: Content;
  text: Content;
  /** Access code of the petition. */
  code?: string | undefined;
}

/** Says that there is nothing to confirm, and leads to the petition. */
function endedPage(view: View, slug: string, { title, text, code }: Ended): Promise<RawAnswer> {
  const say = speak(petitionTexts, view.language);
  const link = html`<p><a class="button" href="${pathTo(slug, { code })}">${say('to_petition')}</a></p>`;
  return confirmationPage(view, html`<p>${text}</p>\n${link}`, title);
}

/** For signers who cannot open the private petition without its code. */
function thanksPage(view: View, done: Done): Promise<RawAnswer> {
  const say = speak(petitionTexts, view.language);
  return confirmationPage(view, html`<p>${view.say('saved')}</p>`, say(done));
}

const confirmationPage = (
  view: View,
  main: Html,
  title: Content = speak(petitionTexts, view.language)('confirm_title'),
  scripts?: Asset[],
): Promise<RawAnswer> =>
  sitePage(view, {
    title,
    head: noIndex,
    ...(scripts && { scripts }),
    main: html`<h1>${title}</h1>\n${main}`,
  });
