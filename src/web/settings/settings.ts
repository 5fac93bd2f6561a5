import {
  addressAsTyped,
  isAddressSilenced,
  isProven,
  ownAccount,
  updateAccount,
} from '../../identity/accounts/accounts.ts';
import { UserUpdateInput, type User } from '../../identity/accounts/schema.ts';
import { requestReset } from '../../identity/recovery/recovery.ts';
import type { PictureOwners } from '../../campaigns/media/media.ts';
import { maxBytes } from '../../campaigns/media/schema.ts';
import { earlierAccountNotice } from '../account/account.ts';
import { attribute, html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { languageName, languages } from '../../platform/pages/language.ts';
import {
  pictureScript,
  actionForm,
  avatar,
  doneNotice,
  editStateOf,
  formFor,
  panel,
  pictureForm,
  pictureStatus,
  postForm,
  readForm,
  shownUnchanged,
  sitePage,
  stateOf,
  takePicture,
  type Fields,
  type FormHandler,
  type OwnView,
  type PageHandler,
  type PageRequest,
  type Site,
} from '../site/site.ts';
import { canSendTexts, confirmPhone, phoneSection, sendCode } from './phone.ts';
import { preferencesSection, savePreferences } from './preferences.ts';
import { ownerOf } from './proof.ts';
import { settingsStyles } from './assets.ts';
import { settingsTexts } from './texts.ts';

/** The settings of an account. */
export const settingsRoutes = (site: Site, images: PictureOwners): Route[] =>
  site.page({
    id: 'showSettings',
    path: '/settings',
    access: 'user',
    show: settingsPage,
    forms: {
      profile: { id: 'submitProfile', once: true, act: changeProfile },
      picture: {
        id: 'submitPicture',
        at: '/picture',
        largestFile: maxBytes,
        act: (view, { fields }) =>
          takePicture(view, images, { fields, page: '/settings', type: 'user_avatar' }),
      },
      phone: { id: 'submitPhone', module: 'phone', at: '/phone', act: sendCode },
      code: { id: 'submitPhoneCode', module: 'phone', at: '/phone/code', act: confirmPhone },
    },
    buttons: [
      { id: 'submitPictureRemoval', at: '/picture/remove', act: removePicture },
      { id: 'submitPasswordChange', at: '/password', act: sendPasswordLink },
      { id: 'submitNotificationPreferences', at: '/notifications', act: savePreferences },
    ],
  });

const settingsPage: PageHandler = async (view, request) => {
  const say = speak(settingsTexts, view.language);
  const sections = [
    ['profile', await profileForm(view, request)],
    ['picture', await pictureSection(view, request)],
    ['email', await emailSection(view)],
    ...(canSendTexts(view) ? [['phone', phoneSection(view, request)] as const] : []),
    ['notifications', preferencesSection(view)],
    ['language', languageForm(view)],
    [
      'access',
      html`<p>${say('access_sessions')}</p>
<p><a href="/settings/sessions">${say('see_sessions')}</a></p>
<p>${say('access_lead')}</p>
<p><a href="/applications">${say('see_applications')}</a></p>`,
    ],
    ...(view.ctx.site.current.modules.developers
      ? [['developer', developerSection(view)] as const]
      : []),
    [
      'data',
      html`<p>${say('data_lead')}</p>
<p><a class="button second" href="/settings/data" download>${say('download')}</a></p>
<h3>${say('erase')}</h3>
<p>${say('erase_lead')}</p>
<p><a class="button danger" href="/settings/erase">${say('erase_go')}</a></p>`,
    ],
  ] as const;
  return sitePage(view, {
    title: view.say('settings'),
    width: 'wide',
    styles: [settingsStyles],
    scripts: [pictureScript],
    main: html`<h1>${view.say('settings')}</h1>
${doneNotice(say, request.query.done, [
  'registered',
  'mail_sent',
  'link_sent',
  'code_sent',
  'phone_confirmed',
  'preferences_saved',
  'profile_saved',
])}${await earlierAccountNotice(view)}<div class="columns start settings">
<nav aria-label="${view.say('settings')}"><ul class="side">
${sections.map(([name]) => html`<li><a href="#${name}">${say(name)}</a></li>\n`)}</ul></nav>
<div>${sections.map(([name, content]) => (name === 'picture' ? content : panel(say(name), content, name)))}</div>
</div>`,
  });
};

function developerSection(view: OwnView): Html {
  const say = speak(settingsTexts, view.language);
  return html`<p>${say('developer_lead')}</p>
<ul><li><a href="/dashboard/keys">${say('see_keys')}</a></li>
<li><a href="/dashboard/webhooks">${say('see_webhooks')}</a></li>
<li><a href="/dashboard/applications">${say('see_own_applications')}</a></li>
<li><a href="/docs">${say('see_docs')}</a></li></ul>`;
}

const profileValuesOf = ({
  display_name,
  bio,
  show_signatures,
}: Pick<User, 'display_name' | 'bio' | 'show_signatures'>): Fields => ({
  display_name,
  bio: bio ?? '',
  ...(show_signatures && { show_signatures: 'on' }),
});

async function profileForm(view: OwnView, request: PageRequest): Promise<Html> {
  const { ctx, viewer } = view;
  const say = speak(settingsTexts, view.language);
  // The viewer was read before the form was refused.
  const user = request.refused ? await ownAccount(ctx, viewer.caller) : viewer.user;
  const state = editStateOf(request, 'profile', profileValuesOf(user));
  const form = formFor(view, state, UserUpdateInput);
  return postForm(view, state, {
    action: '/settings',
    once: true,
    hidden: state.hidden,
    fields: [
      form.text('display_name', { label: say('name'), autocomplete: 'name', required: true }),
      form.text('bio', { label: say('bio'), hint: say('bio_hint'), type: 'textarea', rows: 4 }),
      isProven(user) && form.checkbox('show_signatures', { label: say('show_signatures') }),
    ],
    submit: view.say('save'),
    beside: html`<a href="/u/${user.slug}">${say('see_profile')}</a>`,
  });
}

const changeProfile: FormHandler = async ({ ctx, viewer }, { fields }) => {
  const input = readForm(UserUpdateInput, fields, ['display_name', 'bio', 'show_signatures'], {
    required: ['display_name'],
  });
  await updateAccount(ctx, viewer.caller, input, shownUnchanged(fields, profileValuesOf));
  return '/settings?done=profile_saved#profile';
};

async function pictureSection(view: OwnView, request: PageRequest): Promise<Html> {
  const say = speak(settingsTexts, view.language);
  const { user } = view.viewer;
  return pictureForm(view, {
    action: '/settings/picture',
    title: say('picture'),
    hint: say('picture_hint'),
    shown: avatar(view, user, 'large'),
    url: user.avatar_url,
    status: await pictureStatus(view, request.query),
    problem: stateOf(request, 'picture').problem,
  });
}

const removePicture: FormHandler = async ({ ctx, viewer }) => {
  await updateAccount(ctx, viewer.caller, { avatar_url: null });
  return '/settings?done=profile_saved#picture';
};

async function emailSection(view: OwnView): Promise<Html> {
  const say = speak(settingsTexts, view.language);
  const { user } = view.viewer;
  const isConfirmed = user.email_verified_at !== null;
  const isSilenced = await isAddressSilenced(view.ctx, user);
  return html`<dl class="pairs"><dt>${say('address')}</dt><dd><bdi>${addressAsTyped(user)}</bdi>
<span class="badge ${isConfirmed ? 'good' : 'warn'}">${say(isConfirmed ? 'confirmed' : 'unconfirmed')}</span></dd></dl>
${
  (isSilenced || !isConfirmed) &&
  html`<p${attribute('class', isSilenced && 'notice warn')}>${say(isSilenced ? 'came_back' : 'unconfirmed_lead')}</p>
${actionForm(view, { action: '/verify-email/resend', submit: say(isConfirmed ? 'confirm_again' : 'resend'), buttonClass: 'second' })}`
}<p><a class="button second" href="/settings/login">${say('logging_in_change')}</a></p>
<h3>${say('password')}</h3>
<p>${say('password_lead')}</p>
${actionForm(view, { action: '/settings/password', submit: say('send_link'), buttonClass: 'second' })}`;
}

/** Sends a mail with the link for setting a new password. */
const sendPasswordLink: FormHandler = async ({ ctx, viewer }) => {
  await requestReset(ctx, { email: viewer.user.email, knownBrowserId: ownerOf(viewer) });
  return '/settings?done=link_sent#email';
};

const languageForm = (view: OwnView): Html =>
  actionForm(view, {
    action: '/language',
    hidden: { next: '/settings#language' },
    fields: languages.map(
      (tag) =>
        html`<label class="choice"><input type="radio" name="language" value="${tag}"${attribute('checked', tag === view.language)}> <span lang="${tag}">${languageName(tag)}</span></label>\n`,
    ),
    submit: view.say('save'),
    buttonClass: 'second',
  });
