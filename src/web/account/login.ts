import { html } from '../../platform/html.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { LoginInput } from '../../identity/sessions/schema.ts';
import { logInBrowser, logOutBrowser } from '../../identity/browser-sessions/browser-sessions.ts';
import type { Sessions } from '../../identity/sessions/sessions.ts';
import {
  checkInput,
  doneNotice,
  field,
  formAlert,
  formToken,
  ownPath,
  sitePage,
  textOf,
  type Fields,
  type FormState,
  type View,
} from '../site/site.ts';
import { accountTexts } from './texts.ts';

/** Asks who is there; whoever is logged in goes on at once. */
export function loginPage(view: View, query: Record<string, string>): RawAnswer {
  const next = ownPath(query.next, '/');
  if (view.viewer) return redirectTo(view.header, next, 303);
  return loginForm(view, { values: { next } }, query.done);
}

/** The form, with what was typed before and what is wrong with it. */
export function loginForm(view: View, state: FormState, done?: string): RawAnswer {
  const say = speak(accountTexts, view.language);
  const next = ownPath(textOf(state.values, 'next'), '/');
  return sitePage(view, {
    title: view.say('log_in'),
    main: html`<h1>${view.say('log_in')}</h1>
${doneNotice(say, done, ['password_set'])}${formAlert(view, state)}<form method="post" action="/login">${formToken(view)}
<input type="hidden" name="next" value="${next}">
${field(view, state, {
  name: 'email',
  label: say('email'),
  type: 'email',
  autocomplete: 'username',
  required: true,
})}${field(view, state, {
      name: 'password',
      label: say('password'),
      type: 'password',
      autocomplete: 'current-password',
      required: true,
    })}<button class="large">${view.say('log_in')}</button>
</form>
<p><a href="/forgot-password">${say('forgot')}</a></p>
<p>${say('new_here')} <a href="/register${next === '/' ? '' : `?next=${encodeURIComponent(next)}`}">${view.say('register')}</a></p>`,
  });
}

/**
 * Logs in who filled in the form.
 * @throws {Problem} as `Sessions.userLoggingIn`
 */
export async function logIn(sessions: Sessions, view: View, fields: Fields): Promise<RawAnswer> {
  const { ctx, header, ip } = view;
  const email = textOf(fields, 'email');
  const { password } = checkInput(LoginInput, { email, password: fields.password });
  const user = await sessions.userLoggingIn(ctx, { email, password, ip });
  await logInBrowser(ctx, sessions, header, user.id);
  return redirectTo(header, ownPath(textOf(fields, 'next'), '/'), 303);
}

/** Ends the browser's session. */
export async function logOut(sessions: Sessions, view: View): Promise<RawAnswer> {
  const { ctx, header, browser } = view;
  if (browser) await logOutBrowser(ctx, sessions, header, browser);
  return redirectTo(header, '/', 303);
}
