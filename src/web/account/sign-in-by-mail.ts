import type { FirstProof } from '../../identity/first-proof/first-proof.ts';
import {
  rememberAccount,
  setVisitorCookie,
  logInBrowser,
  knownBrowserOf,
  type Browser,
} from '../../identity/browser-sessions/browser-sessions.ts';
import { MagicLinkInput, MagicLinkVerification } from '../../identity/mail-challenges/schema.ts';
import {
  createChallenge,
  findChallengeOfBrowser,
  findLinkedAccount,
  refuseLink,
  signInByMail,
  type Registration,
} from '../../identity/mail-challenges/mail-challenges.ts';
import { html, type Html } from '../../platform/html.ts';
import type { RawAnswer, Route } from '../../platform/http/route.ts';
import type { Asset } from '../../platform/pages/assets.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { Problem } from '../../platform/problems.ts';
import {
  actionForm,
  awaitedMailScript,
  digitsIn,
  formFor,
  localPathOr,
  noIndex,
  postForm,
  readForm,
  sitePage,
  stateOf,
  textOf,
  type Fields,
  type FormHandler,
  type FormState,
  type PageHandler,
  type PageRequest,
  type Site,
  type View,
} from '../site/site.ts';
import { pathAfterLogin } from './earlier-account.ts';
import { accountTexts } from './texts.ts';

/** Signing in by a link or a code that is mailed. */
export function mailSignInRoutes(site: Site, firstProof: FirstProof): Route[] {
  const signIn: FormHandler<{}, View> = async (view, { fields }) => {
    const { browser, redirect } = await enterByMail(site, firstProof, view, fields);
    return pathAfterLogin(view.ctx, browser, localPathOr(redirect ?? undefined, '/'));
  };
  return [
    ...site.page({
      id: 'showSignInCode',
      closedToCrawlers: true,
      path: '/login/code',
      access: 'anyone',
      show: codePage,
      forms: { code: { id: 'submitSignInCode', act: signIn } },
    }),
    ...site.page({
      id: 'showSignInLink',
      closedToCrawlers: true,
      path: '/login/link',
      access: 'anyone',
      show: linkPageFor(firstProof),
      forms: {
        link: { id: 'submitSignInLink', act: signIn },
        not_me: { id: 'submitLinkNotMe', at: '/not-me', act: endLink },
      },
    }),
  ];
}

/** Logs the browser in by the code or the token of a form. */
export async function enterByMail(
  { sessions }: Site,
  firstProof: FirstProof,
  view: View,
  fields: Fields,
): Promise<{ browser: Browser; redirect: string | null }> {
  const { ctx, ip, language, headers } = view;
  const input = readForm(
    MagicLinkVerification,
    fields,
    ['token', 'challenge', 'code', 'display_name'],
    { read: { code: (text) => digitsIn(text) || undefined } },
  );
  const { display_name: displayName, ...answer } = input;
  const { user, redirect } = await signInByMail(
    ctx,
    { answer, displayName, ip, language, headers, browserId: view.browser?.id },
    firstProof,
  );
  rememberAccount(view, user);
  return { browser: await logInBrowser(sessions, view, user.id), redirect };
}

export const askForMail: FormHandler<{}, View> = async (view, { fields }) => {
  const { email } = readForm(MagicLinkInput, fields, ['email'], { suggestsAddress: 'email' });
  return startSignIn(view, { email, next: textOf(fields, 'next') });
};

interface SignInStart {
  email: string;
  /** Where it leads afterwards. */
  next: string;
  registration?: Registration;
}

/** Mails a link and a code, and returns the path of the page that asks for the code. */
export const startSignIn = async (view: View, start: SignInStart): Promise<string> =>
  `/login/code?challenge=${await mailCode(view, start)}`;

/** Mails a link and a code, and returns the id of the challenge, which this browser answers. */
export async function mailCode(view: View, { email, next, ...more }: SignInStart): Promise<string> {
  const { ctx, header, headers, ip, language, browser } = view;
  const { id: browserId } = setVisitorCookie(ctx, header, browser);
  const { challenge } = await createChallenge(ctx, {
    ...more,
    email,
    redirect: localPathOr(next, '') || null,
    language,
    ip,
    browserId,
    knownBrowserId: await knownBrowserOf(ctx, headers, email),
  });
  return challenge;
}

/** The form that asks for a link: the first way to log in. */
export function mailForm(view: View, request: PageRequest, next: string): Html {
  const say = speak(accountTexts, view.language);
  const state = stateOf(request, 'mail');
  return html`<p class="lead">${say('link_lead')}</p>
${postForm(view, state, {
  action: '/login/mail',
  hidden: { next },
  fields: formFor(view, state, MagicLinkInput).text('email', {
    // The form with a password stands on the same page.
    id: 'mail_address',
    label: say('email'),
    autocomplete: 'email',
    suggestsAddress: true,
  }),
  submit: say('link_go'),
  buttonClass: 'large',
})}
`;
}

/** Asks for the code. Only the browser that asked for it is told to which address it went. */
const codePage: PageHandler<{}, View> = async (view, request) => {
  const say = speak(accountTexts, view.language);
  const state = stateOf(request, 'code', request.query);
  const challenge = textOf(state.values, 'challenge');
  if (view.viewer && !request.refused) return '/';
  if (isOver(request)) return overPage(view);
  const own = await findChallengeOfBrowser(view.ctx, challenge, view.browser?.id);
  if (own?.hasBounced && !request.refused) return bouncedPage(view, own);
  const again = html`<a href="/login">${say('try_again')}</a>`;
  const form = formFor(view, state, MagicLinkVerification);
  return accountPage(
    view,
    say('check_mail'),
    own
      ? html`<p data-awaits-confirmation>${say('code_sent', { email: html`<strong><bdi>${own.email}</bdi></strong>` })}</p>
${postForm(view, state, {
  action: '/login/code',
  hidden: { challenge },
  fields: html`${form.text('code', { label: say('code'), required: true, digits: 6 })}${isNameNeeded(request) && nameField(view, state)}`,
  submit: say('code_go'),
  buttonClass: 'large',
})}
<p class="small quiet">${say('no_code', { again })}</p>`
      : html`<p>${say('code_not_here')}</p>
<p class="small quiet">${say('no_code', { again })}</p>`,
    // The address of a refused form names no challenge.
    own && !request.refused ? [awaitedMailScript] : [],
  );
};

/** Says that the mail came back, and leads back to the form. A password that was typed is not kept. */
function bouncedPage(
  view: View,
  {
    email,
    redirect,
    registration,
  }: NonNullable<Awaited<ReturnType<typeof findChallengeOfBrowser>>>,
): Promise<RawAnswer> {
  const say = speak(accountTexts, view.language);
  const address = html`<strong><bdi>${email}</bdi></strong>`;
  const state: FormState = { values: { email } };
  return accountPage(
    view,
    say('code_bounced_title'),
    html`<p role="alert">${say('code_bounced', { email: address })}</p>
${
  registration
    ? html`<p><a class="button" href="/register">${view.say('register')}</a></p>`
    : postForm(view, state, {
        action: '/login/mail',
        hidden: { next: redirect ?? '' },
        fields: formFor(view, state, MagicLinkInput).text('email', {
          label: say('email'),
          autocomplete: 'email',
        }),
        submit: say('link_go'),
        buttonClass: 'large',
      })
}`,
  );
}

/** The page of the link: a button, since mail scanners open links but press no buttons. */
const linkPageFor =
  (firstProof: FirstProof): PageHandler<{}, View> =>
  async (view, request) => {
    const say = speak(accountTexts, view.language);
    const { ctx, headers, browser } = view;
    if (request.query.done === 'link_refused') {
      return accountPage(
        view,
        say('link_refused_title'),
        html`<p role="status">${say('link_refused')}</p>`,
      );
    }
    const asked = stateOf(request, 'link', request.query);
    const token = /^[\w-]*/.exec(textOf(asked.values, 'token'))![0];
    if (isOver(request)) return overPage(view);
    const account = await findLinkedAccount(
      ctx,
      { token, headers, browserId: browser?.id },
      firstProof,
    ).catch(undefinedIfGone);
    if (!account) return overPage(view);
    const { email, displayName, foreignName } = account;
    const state = { ...asked, values: { display_name: foreignName, ...asked.values } };
    const address = html`<bdi>${email}</bdi>`;
    return accountPage(
      view,
      say('link_title', { host: new URL(view.ctx.config.baseUrl).host }),
      html`<p>${
        foreignName !== undefined
          ? say('link_foreign', { email: address })
          : displayName === undefined
            ? say('link_new', { email: address })
            : say('link_as', { name: html`<bdi>${displayName}</bdi>`, email: address })
      }</p>
${postForm(view, state, {
  action: '/login/link',
  hidden: { token },
  fields: displayName === undefined && nameField(view, state),
  submit: view.say('log_in'),
  buttonClass: 'large',
})}${
        foreignName !== undefined &&
        html`<details><summary>${say('not_me')}</summary>
${actionForm(view, {
  action: '/login/link/not-me',
  className: 'panel',
  hidden: { token },
  fields: html`<p>${say('link_refuse_lead')}</p>\n`,
  submit: say('link_refuse'),
  buttonClass: 'danger',
})}</details>`
      }`,
    );
  };

/** Ends a link that somebody else asked for. */
const endLink: FormHandler<{}, View> = async ({ ctx }, { fields }) => {
  await refuseLink(ctx, textOf(fields, 'token'));
  return '/login/link?done=link_refused';
};

const nameField = (view: View, state: FormState): Html =>
  formFor(view, state, MagicLinkVerification).text('display_name', {
    label: speak(accountTexts, view.language)('name'),
    hint: speak(accountTexts, view.language)('name_hint'),
    autocomplete: 'name',
    required: true,
  });

/** Whether the address has no account, so that a name is asked for. */
const isNameNeeded = ({ refused }: PageRequest): boolean =>
  refused?.problem.errors?.some(({ field }) => field === 'display_name') ?? false;

const isOver = ({ refused }: PageRequest): boolean => refused?.problem.kind === 'gone';

function undefinedIfGone(error: unknown): undefined {
  if (error instanceof Problem && error.kind === 'gone') return;
  throw error;
}

async function overPage(view: View): Promise<RawAnswer> {
  const say = speak(accountTexts, view.language);
  const page = await accountPage(
    view,
    view.say('log_in'),
    html`<p role="alert">${say('link_over')}</p>
<p><a class="button" href="/login">${say('link_again')}</a></p>`,
  );
  return { ...page, status: 410 };
}

function accountPage(
  view: View,
  title: Html | string,
  main: Html,
  scripts: Asset[] = [],
): Promise<RawAnswer> {
  return sitePage(view, { title, head: noIndex, scripts, main: html`<h1>${title}</h1>\n${main}` });
}
