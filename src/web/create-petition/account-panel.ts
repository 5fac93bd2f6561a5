import type { FirstProof } from '../../identity/first-proof/first-proof.ts';
import { logInWithPassword } from '../../identity/browser-sessions/browser-sessions.ts';
import { findChallengeOfBrowser } from '../../identity/mail-challenges/mail-challenges.ts';
import { MagicLinkVerification } from '../../identity/mail-challenges/schema.ts';
import { LoginInput } from '../../identity/sessions/schema.ts';
import { attribute, html, type Content, type Html } from '../../platform/html.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { enterByMail, mailCode } from '../account/account.ts';
import {
  formFor,
  postForm,
  readForm,
  stateOf,
  textOf,
  viewAs,
  type FormHandler,
  type OwnView,
  type PageRequest,
  type Site,
  type View,
} from '../site/site.ts';
import { nameCreator, type Draft } from './drafts.ts';
import { NewCreator } from './schema.ts';
import { draftRoute, stepPath } from './step-layout.ts';
import { createPetitionTexts } from './texts.ts';

type Ref = { id: string };

/** Publishes the draft of a viewer who has just logged in; returns the path of the next page. */
type Publish = (view: OwnView, id: string) => Promise<string>;

/** The forms by which a stranger opens an account, or logs in, and publishes on the same page. */
export function accountForms(site: Site, firstProof: FirstProof, publish: Publish) {
  const enterCode: FormHandler<Ref, View> = async (view, { params: { id }, fields }) => {
    const { browser } = await enterByMail(site, firstProof, view, fields);
    return publish(await viewAs(view, site.sessions, browser), id);
  };
  const enterPassword: FormHandler<Ref, View> = async (view, { params: { id }, fields }) => {
    const input = readForm(LoginInput, fields, ['email', 'password'], { untrimmed: ['password'] });
    const browser = await logInWithPassword(site.sessions, view, input);
    return publish(await viewAs(view, site.sessions, browser), id);
  };
  const at = (path: string) => draftRoute(path).path;
  return {
    account: { id: 'submitDraftAccount', path: at('/account'), act: askForCode },
    code: { id: 'submitDraftCode', path: at('/code'), act: enterCode },
    login: { id: 'submitDraftLogin', path: at('/login'), act: enterPassword },
  };
}

/** Mails a code to the address of a new account, or of one that exists: the page is the same for both. */
const askForCode: FormHandler<Ref, View> = async (view, { params: { id }, fields }) => {
  const { display_name: name, email } = readForm(NewCreator, fields, ['display_name', 'email'], {
    suggestsAddress: 'email',
  });
  await nameCreator(view, id, name);
  const next = stepPath(id, 'preview');
  return `${next}?challenge=${await mailCode(view, { email, next })}#publish`;
};

interface AccountPanel {
  request: PageRequest<Ref>;
  draft: Draft;
  hint: Content;
}

/** Asks a stranger for name and address, then for the mailed code; or for a password. */
export async function accountPanel(
  view: View,
  { request, draft, hint }: AccountPanel,
): Promise<Html> {
  const say = speak(createPetitionTexts, view.language);
  const state = stateOf(request, 'code', request.query);
  const challenge = textOf(state.values, 'challenge');
  const sent = challenge
    ? await findChallengeOfBrowser(view.ctx, challenge, view.browser?.id)
    : undefined;
  const main = sent
    ? codeForm(view, { request, draft, sent, challenge })
    : html`${hint}${newAccountForm(view, request, draft)}${passwordForm(view, request, draft)}`;
  return html`<section class="panel" id="publish"><h2>${say('publish')}</h2>\n${main}</section>\n`;
}

function newAccountForm(view: View, request: PageRequest<Ref>, draft: Draft): Html {
  const say = speak(createPetitionTexts, view.language);
  const state = stateOf(request, 'account', { display_name: draft.creatorName ?? '' });
  const form = formFor(view, state, NewCreator);
  return html`<p>${say('account_lead')}</p>
${postForm(view, state, {
  action: `${stepPath(draft.id, 'text')}/account`,
  fields: [
    form.text('display_name', {
      label: say('your_name'),
      hint: say('your_name_hint'),
      autocomplete: 'name',
    }),
    form.text('email', { label: say('your_email'), autocomplete: 'email', suggestsAddress: true }),
  ],
  submit: say('send_code'),
  buttonClass: 'large',
})}`;
}

function passwordForm(view: View, request: PageRequest<Ref>, { id }: Draft): Html {
  const say = speak(createPetitionTexts, view.language);
  const state = stateOf(request, 'login');
  const form = formFor(view, state, LoginInput);
  return html`<details${attribute('open', state.problem !== undefined)}><summary>${say('have_password')}</summary>
${postForm(view, state, {
  action: `${stepPath(id, 'text')}/login`,
  fields: [
    form.text('email', {
      id: 'login_email',
      label: say('your_email'),
      type: 'email',
      autocomplete: 'username',
    }),
    form.text('password', {
      label: say('password'),
      type: 'password',
      autocomplete: 'current-password',
    }),
  ],
  submit: say('log_in_and_publish'),
})}</details>\n`;
}

interface CodeForm {
  request: PageRequest<Ref>;
  draft: Draft;
  sent: { email: string; hasBounced: boolean };
  challenge: string;
}

function codeForm(view: View, { request, draft, sent, challenge }: CodeForm): Html {
  const say = speak(createPetitionTexts, view.language);
  const state = stateOf(request, 'code');
  const again = html`<a href="${stepPath(draft.id, 'preview')}#publish">${say('other_address')}</a>`;
  const address = html`<strong><bdi>${sent.email}</bdi></strong>`;
  if (sent.hasBounced) {
    return html`<p role="alert">${say('code_bounced', { email: address })} ${again}</p>\n`;
  }
  return html`<p role="status">${say('code_sent', { email: address })}</p>
${postForm(view, state, {
  action: `${stepPath(draft.id, 'text')}/code`,
  hidden: { challenge, display_name: draft.creatorName },
  fields: formFor(view, state, MagicLinkVerification).text('code', {
    label: say('code'),
    required: true,
    digits: 6,
  }),
  submit: say('code_and_publish'),
  buttonClass: 'large',
})}
<p class="small quiet">${say('no_code')} ${again}</p>`;
}
