import type { Html } from '../../platform/html.ts';
import { html } from '../../platform/html.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { notFound, type Problem } from '../../platform/problems.ts';
import { knowVisitor, logInBrowser } from '../../identity/browser-sessions/browser-sessions.ts';
import { skipCaptcha } from '../../identity/captcha/captcha.ts';
import type { Sessions } from '../../identity/sessions/sessions.ts';
import {
  askToConfirm,
  pendingBehind,
  pendingIn,
  type Confirmation,
} from '../../campaigns/pending-signatures/pending-signatures.ts';
import {
  ConfirmationInput,
  PendingSignatureInput,
} from '../../campaigns/pending-signatures/schema.ts';
import { petitionForGuest } from '../../campaigns/petitions/read.ts';
import { SignatureInput } from '../../campaigns/signatures/schema.ts';
import { sign, withdraw, type SignatureWriter } from '../../campaigns/signatures/signatures.ts';
import {
  callerOf,
  checkInput,
  digitsIn,
  field,
  formAlert,
  formToken,
  given,
  noIndex,
  sitePage,
  textOf,
  type Fields,
  type FormState,
  type OwnView,
  type View,
} from '../site/site.ts';
import { arrivalOf, pathTo } from './addresses.ts';
import { petitionPage } from './page.ts';
import { readParts } from './parts.ts';
import { hidden } from './sign-box.ts';
import { petitionTexts } from './texts.ts';

/** What signing needs beside the view. */
export interface Signing {
  writer: SignatureWriter;
  confirmation: Confirmation;
  sessions: Sessions;
}

export const codeIn = (fields: Fields): string | undefined =>
  textOf(fields, 'access_code') || undefined;

/** Signs for who is logged in; has others confirm by mail that the address is theirs. */
export async function signFromForm(
  { writer }: Signing,
  view: View,
  slug: string,
  fields: Fields,
): Promise<RawAnswer> {
  const { ctx, header, headers, ip, viewer, language } = view;
  const code = codeIn(fields);
  const typed = given({
    comment: textOf(fields, 'comment'),
    display_location: textOf(fields, 'display_location'),
    is_anonymous: textOf(fields, 'is_anonymous') === 'on' || undefined,
    ref: textOf(fields, 'ref'),
    recaptchaToken: textOf(fields, 'recaptchaToken'),
    source: textOf(fields, 'source'),
  });
  if (viewer) {
    const input = checkInput(SignatureInput, typed);
    const userAgent = headers['user-agent'];
    const { caller } = viewer;
    const unsolved = { mayGoUnsolved: await goesUnsolved(view, input) };
    await sign(ctx, writer, { caller, ref: slug, input, code, ip, userAgent, ...unsolved });
    return redirectTo(header, pathTo(slug, { code, done: 'signed' }), 303);
  }
  const who = given({
    display_name: textOf(fields, 'display_name'),
    email: textOf(fields, 'email'),
  });
  const input = checkInput(PendingSignatureInput, { ...typed, ...who, language });
  const { id: browserId } = knowVisitor(ctx, header, view.browser);
  const unsolved = { mayGoUnsolved: await goesUnsolved(view, input) };
  const { id } = await askToConfirm(ctx, { ref: slug, input, code, ip, browserId, ...unsolved });
  return redirectTo(header, pathTo(slug, { below: 'confirm', code, more: { id } }), 303);
}

/** A browser that runs no scripts sends no proof that it is no robot, and a few such forms may pass. */
const goesUnsolved = async ({ ctx, ip }: View, { recaptchaToken }: SignatureInput) =>
  recaptchaToken === undefined && (await skipCaptcha(ctx, ip));

/** The page with the form again, with what is wrong with it. */
export async function signAgain(
  view: View,
  slug: string,
  fields: Fields,
  problem: Problem,
): Promise<RawAnswer> {
  const code = codeIn(fields);
  const parts = await readParts(view.ctx, callerOf(view), slug, code);
  const arrival = arrivalOf({ ref: textOf(fields, 'ref'), utm_source: textOf(fields, 'source') });
  return petitionPage(view, { parts, code, arrival, state: { values: fields, problem } });
}

/** Takes back the signature of who is logged in. */
export async function withdrawFromForm(
  { ctx, header, viewer }: OwnView,
  slug: string,
  fields: Fields,
): Promise<RawAnswer> {
  const code = codeIn(fields);
  await withdraw(ctx, viewer.caller, slug, code);
  return redirectTo(header, pathTo(slug, { code, done: 'withdrawn' }), 303);
}

/**
 * What follows the form: asks for the code in the mail; or, by the link in it, for one press of a button,
 * since programs that look into mails open links, and press nothing.
 */
export async function confirmPage(
  view: View,
  slug: string,
  query: Record<string, string>,
): Promise<RawAnswer> {
  if (query.done === 'signed') return thanksPage(view);
  if (query.token !== undefined) return buttonPage(view, slug, query.token);
  if (!(await petitionForGuest(view.ctx, slug))) throw notFound('petition');
  const { id = '', access_code = '' } = query;
  return codePage(view, slug, { values: { id, access_code } });
}

async function buttonPage(view: View, slug: string, token: string): Promise<RawAnswer> {
  const say = speak(petitionTexts, view.language);
  const { petitionId, displayName } = await pendingBehind(view.ctx, token);
  const petition = await petitionForGuest(view.ctx, petitionId);
  const own = petition?.slug ?? petitionId;
  if (slug !== own) {
    return redirectTo(view.header, pathTo(own, { below: 'confirm', more: { token } }), 303);
  }
  return confirmFrame(
    view,
    html`<p class="lead" dir="auto">${petition?.title}</p>
<p>${say('confirm_lead', { name: html`<bdi>${displayName}</bdi>` })}</p>
<form method="post" action="${pathTo(slug, { below: 'confirm' })}">${formToken(view)}${hidden({ token })}
<button class="large">${say('confirm')}</button></form>`,
  );
}

/** Asks for the code. Where the mail went is told to the browser that sent it there, and to no other. */
async function codePage(view: View, slug: string, state: FormState): Promise<RawAnswer> {
  const { ctx, browser, language } = view;
  const say = speak(petitionTexts, language);
  const id = textOf(state.values, 'id');
  const code = codeIn(state.values);
  const pending = await pendingIn(ctx, id, browser?.id);
  const again = html`<a href="${pathTo(slug, { code, hash: 'sign' })}">${say('sign_again')}</a>`;
  return confirmFrame(
    view,
    html`${state.problem && formAlert(view, state)}<p>${
      pending
        ? say('mail_sent_to', { email: html`<strong><bdi>${pending.email}</bdi></strong>` })
        : say('mail_sent')
    }</p>
<form method="post" action="${pathTo(slug, { below: 'confirm' })}">${formToken(view)}${hidden({ id, access_code: code })}
${field(view, state, {
  name: 'code',
  label: say('code'),
  required: true,
  digits: 6,
})}<button class="large">${say('confirm')}</button></form>
<p class="small quiet">${say('no_mail', { again })}</p>`,
  );
}

/** For those whom the petition's own page does not let in without its code. */
function thanksPage(view: View): RawAnswer {
  const say = speak(petitionTexts, view.language);
  return confirmFrame(view, html`<p>${view.say('saved')}</p>`, say('signed'));
}

const confirmFrame = (
  view: View,
  main: Html,
  title = speak(petitionTexts, view.language)('confirm_title'),
): RawAnswer =>
  sitePage(view, {
    title,
    head: noIndex,
    main: html`<h1>${title}</h1>\n${main}`,
  });

/** Makes the signature count, and logs its signer in where that is safe. */
export async function confirmFromForm(
  { confirmation, sessions }: Signing,
  view: View,
  slug: string,
  fields: Fields,
): Promise<RawAnswer> {
  const { ctx, header, headers, ip, browser, viewer } = view;
  const input = checkInput(
    ConfirmationInput,
    given({
      token: textOf(fields, 'token'),
      id: textOf(fields, 'id'),
      code: digitsIn(textOf(fields, 'code')),
    }),
  );
  const userAgent = headers['user-agent'];
  const confirming = { input, ip, userAgent, browserId: browser?.id };
  const { receipt, mayLogIn } = await confirmation.confirm(ctx, confirming);
  if (mayLogIn && !viewer) await logInBrowser(ctx, sessions, header, receipt.user_id);
  const code = codeIn(fields);
  const petition = await petitionForGuest(ctx, receipt.petition_id);
  const canOpen = petition?.visibility !== 'private' || code !== undefined;
  const below = canOpen ? undefined : 'confirm';
  return redirectTo(header, pathTo(slug, { ...(below && { below }), code, done: 'signed' }), 303);
}

/** What is shown where confirming fails; undefined for what a failure's own page says best. */
export async function confirmAgain(
  view: View,
  slug: string,
  fields: Fields,
  problem: Problem,
): Promise<RawAnswer | undefined> {
  const say = speak(petitionTexts, view.language);
  if (problem.code === 'duplicate_signature') {
    const link = html`<p><a href="${pathTo(slug, { code: codeIn(fields) })}">${say('to_petition')}</a></p>`;
    return confirmFrame(
      view,
      html`<p>${view.say('duplicate_signature')}</p>\n${link}`,
      say('already_signed_title'),
    );
  }
  if (textOf(fields, 'token') || textOf(fields, 'id') === '') return undefined;
  if (problem.code === 'too_many_tries') {
    return confirmFrame(view, html`<p role="alert">${say('too_many_tries')}</p>`);
  }
  return problem.kind === 'validation-failed'
    ? codePage(view, slug, { values: fields, problem })
    : undefined;
}
