import { requestVerification, verifyEmail } from '../../identity/accounts/accounts.ts';
import { VerifyEmailInput } from '../../identity/accounts/schema.ts';
import { html, type Html } from '../../platform/html.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import type { Problem } from '../../platform/problems.ts';
import {
  checkInput,
  formAlert,
  formToken,
  given,
  sitePage,
  textOf,
  type Fields,
  type OwnView,
  type View,
} from '../site/site.ts';
import { accountTexts } from './texts.ts';

/** What the link in the mail opens. It changes nothing, since scanners of mail open every link. */
export function verifyPage(view: View, { token, done }: Record<string, string>): RawAnswer {
  const say = speak(accountTexts, view.language);
  if (done)
    return verifyFrame(
      view,
      say('verified'),
      html`<p>${say('verified_lead')}</p>
<p><a class="button" href="/petitions">${view.say('browse')}</a></p>`,
    );
  return verifyFrame(
    view,
    say('verify'),
    token
      ? html`<p class="lead">${say('verify_lead')}</p>
<form method="post" action="/verify-email">${formToken(view)}
<input type="hidden" name="token" value="${token}">
<button class="large">${say('confirm')}</button>
</form>`
      : html`<p role="alert">${say('no_token')}</p>
<p><a href="/settings#email">${say('new_mail')}</a></p>`,
  );
}

/** Says why an address is not confirmed, and what to do. */
export function verifyFailure(view: View, problem: Problem): RawAnswer {
  const say = speak(accountTexts, view.language);
  return verifyFrame(
    view,
    say('verify'),
    html`${formAlert(view, { problem })}
<p><a href="/settings#email">${say('new_mail')}</a></p>`,
  );
}

function verifyFrame(view: View, title: Html, content: Html): RawAnswer {
  view.header('x-robots-tag', 'noindex');
  return sitePage(view, { title, main: html`<h1>${title}</h1>\n${content}` });
}

/** Confirms the address. */
export async function confirmEmail({ ctx, header }: View, fields: Fields): Promise<RawAnswer> {
  const { token } = checkInput(VerifyEmailInput, given({ token: textOf(fields, 'token') }));
  await verifyEmail(ctx, token);
  return redirectTo(header, '/verify-email?done=verified', 303);
}

/** Lets another mail go out. */
export async function resendMail({ ctx, header, viewer }: OwnView): Promise<RawAnswer> {
  await requestVerification(ctx, viewer.caller);
  return redirectTo(header, '/settings?done=mail_sent#email', 303);
}
