import {
  knownBrowserOf,
  rememberAccount,
} from '../../identity/browser-sessions/browser-sessions.ts';
import { requestReset, type Recovery } from '../../identity/recovery/recovery.ts';
import { ForgotInput, ResetInput } from '../../identity/recovery/schema.ts';
import { html, type Html } from '../../platform/html.ts';
import type { RawAnswer, Route } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import {
  actionForm,
  doneNotice,
  reportProblem,
  formFor,
  postForm,
  readForm,
  sitePage,
  stateOf,
  textOf,
  type Site,
  type View,
  type PageHandler,
  type PageRequest,
  type FormHandler,
} from '../site/site.ts';
import { accountTexts } from './texts.ts';

export const recoveryRoutes = (site: Site, recovery: Recovery): Route[] => [
  ...site.page({
    id: 'showForgotPassword',
    closedToCrawlers: true,
    path: '/forgot-password',
    access: 'anyone',
    show: forgotPage,
    forms: { forgot: { id: 'submitForgotPassword', act: sendLink } },
  }),
  ...site.page({
    id: 'showResetPassword',
    closedToCrawlers: true,
    path: '/reset-password',
    access: 'anyone',
    show: resetPage,
    forms: {
      reset: {
        id: 'submitResetPassword',
        async act(view, { fields }) {
          const input = readForm(ResetInput, fields, ['token', 'password'], {
            untrimmed: ['password'],
          });
          const { user, remaining } = await recovery.resetPassword(view.ctx, input, view.headers);
          // The reset made every other browser unknown, and strangers may be guessing meanwhile.
          rememberAccount(view, user);
          return remaining
            ? `/end-access?token=${remaining}&done=password_set`
            : '/login?done=password_set';
        },
      },
    },
  }),
  ...site.page({
    id: 'showEndAccess',
    closedToCrawlers: true,
    path: '/end-access',
    access: 'anyone',
    show: (view, request) => remainingAccessPage(view, request, recovery),
    forms: {
      end: {
        id: 'submitEndAccess',
        async act({ ctx }, { fields }) {
          await recovery.endRemainingAccess(ctx, textOf(fields, 'token') ?? '');
          return '/login?done=access_ended';
        },
      },
    },
  }),
];

/** Asks for the address to which a link is sent; then says that it was sent. */
const forgotPage: PageHandler<{}, View> = (view, request) => {
  const say = speak(accountTexts, view.language);
  const state = stateOf(request, 'forgot');
  return sitePage(view, {
    title: say('forgot'),
    main: html`<h1>${say('forgot')}</h1>
${
  doneNotice(say, request.query.done, ['link_sent']) ??
  html`<p class="lead">${say('forgot_lead')}</p>
${postForm(view, state, {
  action: '/forgot-password',
  fields: formFor(view, state, ForgotInput).text('email', {
    label: say('email'),
    type: 'email',
    autocomplete: 'username',
  }),
  submit: say('send_link'),
  buttonClass: 'large',
})}`
}
<p><a href="/login">${view.say('log_in')}</a></p>`,
  });
};

/** Sends the mail where the address has an account; the answer does not reveal whether it has. */
const sendLink: FormHandler<{}, View> = async ({ ctx, headers }, { fields }) => {
  const { email } = readForm(ForgotInput, fields, ['email']);
  await requestReset(ctx, { email, knownBrowserId: await knownBrowserOf(ctx, headers, email) });
  return '/forgot-password?done=link_sent';
};

/** The page of a link in such a mail. */
const resetPage: PageHandler<{}, View> = (view, request) => {
  const say = speak(accountTexts, view.language);
  const state = stateOf(request, 'reset', request.query);
  view.header('x-robots-tag', 'noindex');
  return sitePage(view, {
    title: say('reset'),
    main: html`<h1>${say('reset')}</h1>
${
  state.problem?.kind === 'gone'
    ? reportProblem(view, state)
    : postForm(view, state, {
        action: '/reset-password',
        hidden: { token: textOf(state.values, 'token') },
        fields: formFor(view, state, ResetInput).text('password', {
          label: say('new_password'),
          hint: say('reset_hint'),
          type: 'password',
          autocomplete: 'new-password',
        }),
        submit: view.say('save'),
        buttonClass: 'large',
      })
}
<p><a href="/forgot-password">${say('ask_again')}</a></p>`,
  });
};

/** Lists what has access after a reset, with a button that ends it all. The token is that of the mail or the reset. */
async function remainingAccessPage(
  view: View,
  { query, refused }: PageRequest,
  recovery: Recovery,
): Promise<RawAnswer> {
  const say = speak(accountTexts, view.language);
  const token = textOf(refused?.values ?? query, 'token') ?? '';
  view.header('x-robots-tag', 'noindex');
  const { apiKeys, webhooks } = await recovery.remainingAccess(view.ctx, token);
  const list = (title: Html, items: string[]) =>
    items.length > 0 &&
    html`<h2>${title}</h2>
<ul>${items.map((item) => html`<li><bdi>${item}</bdi></li>`)}</ul>`;
  return sitePage(view, {
    title: say('remaining_access'),
    main: html`<h1>${say('remaining_access')}</h1>
${doneNotice(say, query.done, ['password_set'])}
<p class="lead">${say('remaining_lead')}</p>
${list(say('remaining_keys'), apiKeys)}
${list(say('remaining_webhooks'), webhooks)}
${actionForm(view, { action: '/end-access', hidden: { token }, submit: say('end_remaining') })}
<p><a href="/login">${view.say('log_in')}</a></p>`,
  });
}
