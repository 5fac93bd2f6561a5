import { register } from '../../identity/accounts/accounts.ts';
import { RegisterInput } from '../../identity/accounts/schema.ts';
import { logInBrowser } from '../../identity/browser-sessions/browser-sessions.ts';
import { html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import {
  formFor,
  localPathOr,
  postForm,
  readForm,
  sitePage,
  stateOf,
  textOf,
  type Site,
  type View,
  type PageHandler,
} from '../site/site.ts';
import { accountTexts } from './texts.ts';

/** The page after registration by default; it reports that a mail was sent. */
const defaultNext = '/settings?done=registered';

export const registerRoutes = (site: Site): Route[] =>
  site.page({
    id: 'showRegister',
    path: '/register',
    access: 'anyone',
    show: registerPage,
    forms: {
      register: {
        id: 'submitRegister',
        async act({ ctx, header, ip }, { fields }) {
          const input = readForm(RegisterInput, fields, ['display_name', 'email', 'password'], {
            untrimmed: ['password'],
          });
          const user = await register(ctx, input, ip);
          await logInBrowser(ctx, site.sessions, header, user.id);
          return localPathOr(textOf(fields, 'next'), defaultNext);
        },
      },
    },
  });

/** The form for a new account; viewers who are logged in are redirected. */
const registerPage: PageHandler<{}, View> = (view, request) => {
  const say = speak(accountTexts, view.language);
  const state = stateOf(request, 'register', request.query);
  const form = formFor(view, state, RegisterInput);
  const next = localPathOr(textOf(state.values, 'next'), '');
  if (view.viewer && !request.refused) return next || '/';
  const login = next ? `/login?next=${encodeURIComponent(next)}` : '/login';
  return sitePage(view, {
    title: view.say('register'),
    main: html`<h1>${view.say('register')}</h1>
<p class="lead">${say('register_lead')}</p>
${postForm(view, state, {
  action: '/register',
  hidden: { next },
  fields: html`${form.text('display_name', {
    label: say('name'),
    hint: say('name_hint'),
    autocomplete: 'name',
  })}${form.text('email', { label: say('email'), autocomplete: 'email' })}${form.text('password', {
    label: say('password'),
    hint: say('password_hint'),
    type: 'password',
    autocomplete: 'new-password',
  })}`,
  submit: view.say('register'),
  buttonClass: 'large',
})}
<p>${say('have_account')} <a href="${login}">${view.say('log_in')}</a></p>`,
  });
};
