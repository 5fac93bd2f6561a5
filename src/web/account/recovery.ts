import { requestReset, type Recovery } from '../../identity/recovery/recovery.ts';
import { ForgotInput, ResetInput } from '../../identity/recovery/schema.ts';
import { html } from '../../platform/html.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import {
  checkInput,
  doneNotice,
  field,
  formAlert,
  formToken,
  given,
  sitePage,
  textOf,
  type Fields,
  type FormState,
  type View,
} from '../site/site.ts';
import { accountTexts } from './texts.ts';

/** Asks for the address to which a link goes; then says that it went. */
export function forgotPage(view: View, state: FormState, done?: string): RawAnswer {
  const say = speak(accountTexts, view.language);
  const sent = doneNotice(say, done, ['link_sent']);
  return sitePage(view, {
    title: say('forgot'),
    main: html`<h1>${say('forgot')}</h1>
${
  sent ??
  html`<p class="lead">${say('forgot_lead')}</p>
${formAlert(view, state)}<form method="post" action="/forgot-password">${formToken(view)}
${field(view, state, {
  name: 'email',
  label: say('email'),
  type: 'email',
  autocomplete: 'username',
  required: true,
})}<button class="large">${say('send_link')}</button>
</form>`
}
<p><a href="/login">${view.say('log_in')}</a></p>`,
  });
}

/** Lets the mail go out, if there is an account: nobody can tell from here. */
export async function sendLink({ ctx, header }: View, fields: Fields): Promise<RawAnswer> {
  const { email } = checkInput(ForgotInput, given({ email: textOf(fields, 'email') }));
  await requestReset(ctx, email);
  return redirectTo(header, '/forgot-password?done=link_sent', 303);
}

/** What a link in such a mail opens. */
export function resetPage(view: View, state: FormState): RawAnswer {
  const say = speak(accountTexts, view.language);
  const gone = state.problem?.kind === 'gone';
  view.header('x-robots-tag', 'noindex');
  return sitePage(view, {
    title: say('reset'),
    main: html`<h1>${say('reset')}</h1>
${formAlert(view, state)}${
      !gone &&
      html`<form method="post" action="/reset-password">${formToken(view)}
<input type="hidden" name="token" value="${textOf(state.values, 'token')}">
${field(view, state, {
  name: 'password',
  label: say('new_password'),
  hint: say('reset_hint'),
  type: 'password',
  autocomplete: 'new-password',
  minLength: 8,
  maxLength: 200,
  required: true,
})}<button class="large">${view.say('save')}</button>
</form>`
    }
<p><a href="/forgot-password">${say('ask_again')}</a></p>`,
  });
}

/** Sets the new password, and leads to the login. */
export async function setNewPassword(
  recovery: Recovery,
  { ctx, header }: View,
  fields: Fields,
): Promise<RawAnswer> {
  const { token, password } = checkInput(
    ResetInput,
    given({ token: textOf(fields, 'token'), password: fields.password }),
  );
  await recovery.resetPassword(ctx, token, password);
  return redirectTo(header, '/login?done=password_set', 303);
}
