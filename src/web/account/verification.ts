import {
  disownAccount,
  findUnverified,
  isProven,
  requestVerification,
  verifyEmail,
} from '../../identity/accounts/accounts.ts';
import { VerifyEmailInput } from '../../identity/accounts/schema.ts';
import { hasRegistered } from '../../identity/browser-sessions/browser-sessions.ts';
import { attribute, html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import type { PersonalData } from '../../platform/slice.ts';
import {
  reportProblem,
  actionForm,
  readForm,
  sitePage,
  type OwnView,
  type Site,
  type View,
  type PageHandler,
  type PageRequest,
  type FormHandler,
} from '../site/site.ts';
import { accountTexts } from './texts.ts';

export const verificationRoutes = (site: Site, holders: () => PersonalData[]): Route[] => [
  ...site.page({
    id: 'showVerifyEmail',
    closedToCrawlers: true,
    path: '/verify-email',
    access: 'anyone',
    show: verifyPageFor(site),
    forms: {
      verify: { id: 'submitVerifyEmail', act: confirmEmail },
      not_me: {
        id: 'submitNotMe',
        at: '/not-me',
        async act({ ctx }, { fields }) {
          const { token } = readForm(VerifyEmailInput, fields, ['token']);
          await disownAccount(ctx, token, holders());
          return '/verify-email?done=not_me';
        },
      },
    },
  }),
  site.form({
    id: 'submitVerifyEmailResend',
    path: '/verify-email/resend',
    access: 'user',
    act: resendMail,
  }),
];

/** The page of the link in the mail. Opening it changes nothing, since mail scanners open every link. */
const verifyPageFor =
  (site: Site): PageHandler<{}, View> =>
  async (view, request) => {
    const say = speak(accountTexts, view.language);
    const title = say(request.query.done === 'verified' ? 'verified' : 'verify');
    const content = await verifyContent(view, site, request);
    view.header('x-robots-tag', 'noindex');
    return sitePage(view, { title, main: html`<h1>${title}</h1>\n${content}` });
  };

async function verifyContent(
  view: View,
  { sessions }: Site,
  { query: { token, done }, refused }: PageRequest,
): Promise<Html> {
  const say = speak(accountTexts, view.language);
  const newMail = html`<p><a href="/settings#email">${say('new_mail')}</a></p>`;
  if (refused) return html`${reportProblem(view, refused)}\n${newMail}`;
  if (done === 'not_me') return html`<p role="status">${say('not_me_done')}</p>`;
  if (done) {
    return html`<p>${say('verified_lead')}</p>
<p><a class="button" href="/petitions">${view.say('browse')}</a></p>`;
  }
  if (!token) return html`<p role="alert">${say('no_token')}</p>\n${newMail}`;
  const user = await findUnverified(view.ctx, token);
  const { id, display_name, email } = user;
  const isStrange = !isProven(user) && !hasRegistered(view.ctx, sessions, view.headers, id);
  const values = { name: html`<bdi>${display_name}</bdi>`, email: html`<bdi>${email}</bdi>` };
  return html`${isStrange && html`<h2>${say('verify_question')}</h2>\n`}<p class="lead">${say(isStrange ? 'verify_strange' : 'verify_lead', values)}</p>
${actionForm(view, {
  action: '/verify-email',
  hidden: { token },
  submit: say(isStrange ? 'verify_mine' : 'confirm'),
  buttonClass: 'large',
})}
${
  // The account of a proven address is that of its owner.
  !isProven(user) &&
  html`<details${attribute('open', isStrange)}><summary>${say('not_me')}</summary>
${actionForm(view, {
  action: '/verify-email/not-me',
  className: 'panel',
  hidden: { token },
  fields: html`<p>${say('not_me_lead', values)}</p>\n`,
  submit: say('not_me_erase'),
  buttonClass: 'danger',
})}</details>`
}`;
}

/** Confirms the address. */
const confirmEmail: FormHandler<{}, View> = async ({ ctx }, { fields }) => {
  const { token } = readForm(VerifyEmailInput, fields, ['token']);
  await verifyEmail(ctx, token);
  return '/verify-email?done=verified';
};

/** Sends another mail. */
async function resendMail({ ctx, viewer }: OwnView): Promise<string> {
  await requestVerification(ctx, viewer.caller);
  return '/settings?done=mail_sent#email';
}
