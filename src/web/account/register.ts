import { register } from '../../identity/accounts/accounts.ts';
import { RegisterInput } from '../../identity/accounts/schema.ts';
import { logInBrowser } from '../../identity/browser-sessions/browser-sessions.ts';
import type { Sessions } from '../../identity/sessions/sessions.ts';
import { html } from '../../platform/html.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import {
  checkInput,
  field,
  formAlert,
  formToken,
  given,
  ownPath,
  sitePage,
  textOf,
  type Fields,
  type FormState,
  type View,
} from '../site/site.ts';
import { accountTexts } from './texts.ts';

/** Where newcomers go who came from nowhere: they are told there of the mail that went out. */
const arrival = '/settings?done=registered';

/** Invites to open an account. */
export function registerPage(view: View, query: Record<string, string>): RawAnswer {
  const next = ownPath(query.next, '');
  if (view.viewer) return redirectTo(view.header, next || '/', 303);
  return registerForm(view, { values: { next } });
}

/** The form, with what was typed before and what is wrong with it. */
export function registerForm(view: View, state: FormState): RawAnswer {
  const say = speak(accountTexts, view.language);
  const next = ownPath(textOf(state.values, 'next'), '');
  const login = next ? `/login?next=${encodeURIComponent(next)}` : '/login';
  return sitePage(view, {
    title: view.say('register'),
    main: html`<h1>${view.say('register')}</h1>
<p class="lead">${say('register_lead')}</p>
${formAlert(view, state)}<form method="post" action="/register">${formToken(view)}
<input type="hidden" name="next" value="${next}">
${field(view, state, {
  name: 'display_name',
  label: say('name'),
  hint: say('name_hint'),
  autocomplete: 'name',
  maxLength: 100,
  required: true,
})}${field(view, state, {
      name: 'email',
      label: say('email'),
      type: 'email',
      autocomplete: 'email',
      maxLength: 254,
      required: true,
    })}${field(view, state, {
      name: 'password',
      label: say('password'),
      hint: say('password_hint'),
      type: 'password',
      autocomplete: 'new-password',
      minLength: 8,
      maxLength: 200,
      required: true,
    })}<button class="large">${view.say('register')}</button>
</form>
<p>${say('have_account')} <a href="${login}">${view.say('log_in')}</a></p>`,
  });
}

/** Opens the account, logs in, and goes on to where the newcomer came from. */
export async function openAccount(
  sessions: Sessions,
  { ctx, header, ip }: View,
  fields: Fields,
): Promise<RawAnswer> {
  const user = await register(
    ctx,
    checkInput(
      RegisterInput,
      given({
        display_name: textOf(fields, 'display_name'),
        email: textOf(fields, 'email'),
        password: fields.password,
      }),
    ),
    ip,
  );
  await logInBrowser(ctx, sessions, header, user.id);
  return redirectTo(header, ownPath(textOf(fields, 'next'), arrival), 303);
}
