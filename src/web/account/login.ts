import { html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { LoginInput } from '../../identity/sessions/schema.ts';
import { logInBrowser, logOutBrowser } from '../../identity/browser-sessions/browser-sessions.ts';
import {
  doneNotice,
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

export function loginRoutes(site: Site): Route[] {
  const { sessions } = site;
  return [
    ...site.page({
      id: 'showLogin',
      path: '/login',
      access: 'anyone',
      show: loginPage,
      forms: {
        login: {
          id: 'submitLogin',
          async act({ ctx, header, ip }, { fields }) {
            const input = readForm(LoginInput, fields, ['email', 'password'], {
              untrimmed: ['password'],
            });
            const user = await sessions.verifyLogin(ctx, { ...input, ip });
            await logInBrowser(ctx, sessions, header, user.id);
            return localPathOr(textOf(fields, 'next'), '/');
          },
        },
      },
    }),
    site.form({
      id: 'submitLogout',
      path: '/logout',
      access: 'anyone',
      async act({ ctx, header, browser }) {
        if (browser) await logOutBrowser(ctx, sessions, header, browser);
        return '/';
      },
    }),
  ];
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
${doneNotice(say, request.query.done, ['password_set'])}${postForm(view, state, {
      action: '/login',
      hidden: { next },
      fields: html`${form.text('email', {
        label: say('email'),
        type: 'email',
        autocomplete: 'username',
      })}${form.text('password', {
        label: say('password'),
        type: 'password',
        autocomplete: 'current-password',
      })}`,
      submit: view.say('log_in'),
      buttonClass: 'large',
    })}
<p><a href="/forgot-password">${say('forgot')}</a></p>
<p>${say('new_here')} <a href="/register${next === '/' ? '' : `?next=${encodeURIComponent(next)}`}">${view.say('register')}</a></p>`,
  });
};
