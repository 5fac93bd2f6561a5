import { attribute, html, type Content, type Html } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { languageNames, languages } from '../../platform/pages/language.ts';
import {
  avatar,
  doneNotice,
  field,
  formAlert,
  formToken,
  pictureForm,
  pictureScript,
  pictureStatus,
  sitePage,
  type FormState,
  type OwnView,
} from '../site/site.ts';
import { phoneSection } from './phone.ts';
import { preferencesSection } from './preferences.ts';
import { settingsStyles } from './assets.ts';
import { settingsTexts } from './texts.ts';

/** The form that is shown again, and with what. */
export interface Again {
  section: 'profile' | 'picture' | 'phone' | 'code';
  state: FormState;
}

const sections = [
  'profile',
  'picture',
  'email',
  'phone',
  'notifications',
  'language',
  'access',
  'data',
] as const;

/** All that people settle about their account. */
export async function settingsPage(
  view: OwnView,
  query: Record<string, string>,
  again?: Again,
): Promise<RawAnswer> {
  const say = speak(settingsTexts, view.language);
  const stateOf = (section: Again['section'], values: FormState['values'] = {}): FormState =>
    again?.section === section ? again.state : { values };
  const picture = await pictureSection(view, query, stateOf('picture'));
  const contents: Record<Exclude<(typeof sections)[number], 'picture'>, Content> = {
    profile: profileForm(view, stateOf('profile', profileOf(view))),
    email: emailSection(view),
    phone: phoneSection(view, {
      phone: stateOf('phone'),
      code: stateOf('code'),
      asksForCode: query.done === 'code_sent' || again?.section === 'code',
    }),
    notifications: preferencesSection(view),
    language: languageForm(view),
    access: html`<p>${say('access_lead')}</p>
<p><a href="/applications">${say('see_applications')}</a></p>`,
    data: html`<p>${say('data_lead')}</p>
<p><a class="button second" href="/settings/data" download>${say('download')}</a></p>
<h3>${say('erase')}</h3>
<p>${say('erase_lead')}</p>
<p><a class="button danger" href="/settings/erase">${say('erase_go')}</a></p>`,
  };
  return sitePage(view, {
    title: view.say('settings'),
    width: 'wide',
    styles: [settingsStyles],
    scripts: [pictureScript],
    main: html`<h1>${view.say('settings')}</h1>
${doneNotice(say, query.done, [
  'registered',
  'mail_sent',
  'link_sent',
  'code_sent',
  'phone_confirmed',
  'preferences_saved',
  'profile_saved',
])}<div class="columns start settings">
<nav aria-label="${view.say('settings')}"><ul class="side">
${sections.map((one) => html`<li><a href="#${one}">${say(one)}</a></li>\n`)}</ul></nav>
<div>${sections.map((one) =>
      one === 'picture'
        ? picture
        : html`<section class="panel" id="${one}"><h2>${say(one)}</h2>
${contents[one]}</section>\n`,
    )}</div>
</div>`,
  });
}

const profileOf = ({ viewer: { user } }: OwnView): FormState['values'] => ({
  display_name: user.display_name,
  bio: user.bio ?? '',
});

function profileForm(view: OwnView, state: FormState): Html {
  const say = speak(settingsTexts, view.language);
  return html`${formAlert(view, state)}<form method="post" action="/settings">${formToken(view)}
${field(view, state, {
  name: 'display_name',
  label: say('name'),
  autocomplete: 'name',
  maxLength: 100,
  required: true,
})}${field(view, state, {
    name: 'bio',
    label: say('bio'),
    hint: say('bio_hint'),
    type: 'textarea',
    rows: 4,
    maxLength: 500,
  })}<p class="row"><button>${view.say('save')}</button>
<a href="/u/${view.viewer.user.slug}">${say('see_profile')}</a></p>
</form>`;
}

/** The picture as others see it, and how to change it. */
async function pictureSection(
  view: OwnView,
  query: Record<string, string>,
  { problem }: FormState,
): Promise<Html> {
  const say = speak(settingsTexts, view.language);
  const { user } = view.viewer;
  return pictureForm(view, {
    action: '/settings/picture',
    title: say('picture'),
    hint: say('picture_hint'),
    shown: avatar(user, 'large'),
    url: user.avatar_url,
    status: await pictureStatus(view, query),
    problem,
  });
}

function emailSection(view: OwnView): Html {
  const say = speak(settingsTexts, view.language);
  const { user } = view.viewer;
  const isConfirmed = user.email_verified_at !== null;
  return html`<dl class="pairs"><dt>${say('address')}</dt><dd><bdi>${user.email}</bdi>
<span class="badge ${isConfirmed ? 'good' : 'warn'}">${say(isConfirmed ? 'confirmed' : 'unconfirmed')}</span></dd></dl>
${
  !isConfirmed &&
  html`<p>${say('unconfirmed_lead')}</p>
<form method="post" action="/verify-email/resend">${formToken(view)}<button class="second">${say('resend')}</button></form>`
}<h3>${say('password')}</h3>
<p>${say('password_lead')}</p>
<form method="post" action="/settings/password">${formToken(view)}<button class="second">${say('send_link')}</button></form>`;
}

const languageForm = (
  view: OwnView,
): Html => html`<form method="post" action="/language">${formToken(view)}
<input type="hidden" name="next" value="/settings#language">
${languages.map(
  (one) =>
    html`<label class="choice"><input type="radio" name="language" value="${one}"${attribute(
      'checked',
      one === view.language,
    )}> <span lang="${one}">${languageNames[one]}</span></label>\n`,
)}<p><button class="second">${view.say('save')}</button></p>
</form>`;
