import {
  hashPassword,
  registrationQuota,
  requireOpenSignup,
  requireUncommonPassword,
} from '../../identity/accounts/accounts.ts';
import { RegisterInput } from '../../identity/accounts/schema.ts';
import { logInWithPassword } from '../../identity/browser-sessions/browser-sessions.ts';
import { LoginInput } from '../../identity/sessions/schema.ts';
import { attribute, html } from '../../platform/html.ts';
import { networkOf } from '../../platform/limits.ts';
import type { Route } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import {
  doneNotice,
  formFor,
  localPathOr,
  logOut,
  postForm,
  readForm,
  sitePage,
  stateOf,
  textOf,
  type Site,
  type View,
  type PageHandler,
} from '../site/site.ts';
import { pathAfterLogin } from './earlier-account.ts';
import { askForMail, mailForm, startSignIn } from './sign-in-by-mail.ts';
import { accountTexts } from './texts.ts';

/** Logging in and out, and registering. */
export function loginRoutes(site: Site): Route[] {
  const { sessions } = site;
  return [
    ...site.page({
      id: 'showLogin',
      closedToCrawlers: true,
      path: '/login',
      access: 'anyone',
      show: loginPage,
      forms: {
        mail: { id: 'submitMailSignIn', at: '/mail', act: askForMail },
        login: {
          id: 'submitLogin',
          async act(call, { fields }) {
            const input = readForm(LoginInput, fields, ['email', 'password'], {
              untrimmed: ['password'],
            });
            const browser = await logInWithPassword(sessions, call, input);
            return pathAfterLogin(call.ctx, browser, localPathOr(textOf(fields, 'next'), '/'));
          },
        },
      },
    }),
    ...site.page({
      id: 'showRegister',
      closedToCrawlers: true,
      path: '/register',
      access: 'anyone',
      show: registrationPage,
      forms: {
        register: {
          id: 'submitRegister',
          async act(view, { fields }) {
            const input = readForm(RegisterInput, fields, ['display_name', 'email', 'password'], {
              untrimmed: ['password'],
              suggestsAddress: 'email',
            });
            return startRegistration(view, input, textOf(fields, 'next'));
          },
        },
      },
    }),
    site.form({
      id: 'submitLogout',
      path: '/logout',
      access: 'anyone',
      async act(view) {
        await logOut(view, sessions);
        return '/';
      },
    }),
  ];
}

/**
 * Mails a link that opens the account. The page and its time are the same for an address that has one, so that nobody
 * learns that: its owner is signed in by the link.
 * @throws {Problem} forbidden where sign-up is closed; validation-failed if the password is too common; rate-limited
 */
async function startRegistration(
  view: View,
  { email, password, display_name }: RegisterInput,
  next: string,
): Promise<string> {
  const { ctx, ip } = view;
  requireOpenSignup(ctx);
  requireUncommonPassword(password, { email, display_name });
  const tooMany = 'Too many new accounts from this address.';
  await ctx.limits.take(registrationQuota, networkOf(ip), tooMany);
  const password_hash = await hashPassword(password);
  const registration = { display_name: display_name.trim(), password_hash };
  return startSignIn(view, { email, next, registration });
}

/** The login form; viewers who are logged in are redirected. */
const loginPage: PageHandler<{}, View> = (view, request) => {
  const say = speak(accountTexts, view.language);
  const state = stateOf(request, 'login', request.query);
  const form = formFor(view, state, LoginInput);
  const next = localPathOr(textOf(state.values, 'next'), '/');
  if (view.viewer && !request.refused) return next;
  return sitePage(view, {
    title: view.say('log_in'),
    main: html`<h1>${view.say('log_in')}</h1>
${doneNotice(say, request.query.done, ['password_set', 'access_ended'])}${mailForm(view, request, next)}<details class="panel"${attribute('open', request.refused?.name === 'login' || request.query.done !== undefined)}><summary>${say('or_password')}</summary>
${postForm(view, state, {
  action: '/login',
  hidden: { next },
  fields: [
    form.text('email', { label: say('email'), type: 'email', autocomplete: 'username' }),
    form.text('password', {
      label: say('password'),
      type: 'password',
      autocomplete: 'current-password',
    }),
  ],
  submit: view.say('log_in'),
})}
<p><a href="/forgot-password">${say('forgot')}</a></p></details>
${view.ctx.site.current.signup === 'open' && html`<p>${say('new_here')} <a rel="nofollow" href="${withNext('/register', next === '/' ? '' : next)}">${view.say('register')}</a></p>`}`,
  });
};

/** The form for a new account; viewers who are logged in are redirected. */
const registrationPage: PageHandler<{}, View> = (view, request) => {
  const say = speak(accountTexts, view.language);
  const state = stateOf(request, 'register', request.query);
  const form = formFor(view, state, RegisterInput);
  const next = localPathOr(textOf(state.values, 'next'), '');
  if (view.viewer && !request.refused) return next || '/';
  return sitePage(view, {
    title: view.say('register'),
    main: html`<h1>${view.say('register')}</h1>
<p class="lead">${say('register_lead')}</p>
${postForm(view, state, {
  action: '/register',
  hidden: { next },
  fields: [
    form.text('display_name', { label: say('name'), hint: say('name_hint'), autocomplete: 'name' }),
    form.text('email', { label: say('email'), autocomplete: 'email', suggestsAddress: true }),
    form.text('password', {
      label: say('password'),
      hint: say('password_hint'),
      type: 'password',
      autocomplete: 'new-password',
    }),
  ],
  submit: view.say('register'),
  buttonClass: 'large',
})}
<p>${say('have_account')} <a href="${withNext('/login', next)}">${view.say('log_in')}</a></p>`,
  });
};

/** The path with the page to go to afterwards, if there is one. */
const withNext = (path: string, next: string) =>
  next === '' ? path : `${path}?next=${encodeURIComponent(next)}`;
