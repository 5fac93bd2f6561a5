import { isDeepStrictEqual } from 'node:util';
import { html, type Content, type Html } from '../../platform/html.ts';
import type { FormFile } from '../../platform/http/bodies.ts';
import type { RawAnswer, Route } from '../../platform/http/route.ts';
import { formatNumber } from '../../platform/pages/catalog.ts';
import { languageName, languages } from '../../platform/pages/language.ts';
import { logoAddress } from '../../platform/site/icons.ts';
import {
  defaultAccent,
  moduleNames,
  type Logo,
  type SiteProfile,
} from '../../platform/site/profile.ts';
import type { SettingChanges } from '../../platform/site/site-settings.ts';
import { judgeAccent, minContrast } from '../../platform/site/theme.ts';
import { maxBytes, pictureTypes } from '../../campaigns/media/schema.ts';
import { SiteUpdate } from '../../oversight/site-settings/schema.ts';
import {
  changeSettings,
  changesOf,
  findLogo,
  uploadLogo,
} from '../../oversight/site-settings/site-settings.ts';
import {
  checkInput,
  doneNotice,
  editStateOf,
  formFor,
  formToken,
  hiddenFields,
  panel,
  reportProblem,
  shownUnchanged,
  textOf,
  textsIn,
  type Fields,
  type FormHandler,
  type FormState,
  type OwnView,
  type PageHandler,
  type Site,
} from '../site/site.ts';
import { administrationPage, sayOf } from './administration.ts';

const path = '/admin/site';
const access = 'admin';

export const siteFormRoutes = (site: Site): Route[] =>
  site.page({
    id: 'showSiteSettings',
    path,
    access,
    show: settingsPage,
    forms: { settings: { id: 'submitSiteSettings', largestFile: maxBytes, act: submit } },
  });

/** Settings that an empty field sets back to what the service does by itself. */
const textFields = [
  'name',
  'tagline',
  'accent',
  'contact_email',
  'mail_from_name',
  'mail_reply_to',
] as const;
const choiceFields = ['default_language', 'signup', 'moderation', 'signature_policy'] as const;

/** The values of the form for a site. */
function valuesOf(site: SiteProfile): Fields {
  return {
    name: site.name,
    tagline: site.tagline ?? '',
    accent: site.accent,
    logo: site.logo?.hash ?? '',
    contact_email: site.contactEmail ?? '',
    mail_from_name: site.mailFromName ?? '',
    mail_reply_to: site.mailReplyTo ?? '',
    default_language: site.defaultLanguage,
    signup: site.signup,
    moderation: site.moderation,
    signature_policy: site.signaturePolicy,
    languages: [...site.languages],
    modules: moduleNames.filter((name) => site.modules[name]),
  };
}

const settingsPage: PageHandler = (view, request) => {
  const { current } = view.ctx.site;
  const state = editStateOf(request, 'settings', valuesOf(current));
  const notice = doneNotice(sayOf(view), request.query.done, [
    'set_up',
    'site_saved',
    'change_undone',
  ]);
  return formPage(view, { state, hidden: state.hidden, notice, site: current });
};

interface FormPage {
  state: FormState;
  hidden: Record<string, string>;
  notice?: Content;
  /** The site as it is, or as it would be. */
  site: SiteProfile;
}

function formPage(view: OwnView, { state, hidden, notice, site }: FormPage): Promise<RawAnswer> {
  const say = sayOf(view);
  reportProblem(view, state);
  const logo = textOf(state.values, 'logo');
  return administrationPage(view, {
    section: 'settings',
    title: say('settings'),
    site,
    main: html`${notice}
<form class="panels" method="post" action="${path}" enctype="multipart/form-data">${formToken(view)}${hiddenFields({ ...hidden, logo })}
${lookFields(view, state, site)}${languageFields(view, state)}${mailFields(view, state)}${ruleFields(view, state)}${moduleFields(view, state)}
<p class="row"><button name="go" value="save">${view.say('save')}</button>
<button class="second" name="go" value="preview">${say('preview')}</button></p>
</form>`,
  });
}

function lookFields(view: OwnView, state: FormState, site: SiteProfile): Html {
  const say = sayOf(view);
  const form = formFor(view, state, SiteUpdate);
  return panel(
    say('look'),
    html`${form.text('name', { label: say('name'), required: true, maxLength: 60 })}
${form.text('tagline', { label: say('tagline'), hint: say('tagline_hint'), maxLength: 200 })}
${form.text('accent', { label: say('accent'), hint: say('accent_hint', { example: defaultAccent }), required: true, maxLength: 7 })}
${accentReport(view, site.accent)}${logoField(view, site.logo)}`,
  );
}

/** How well the accent can be read in each theme, and what is shown instead. */
function accentReport(view: OwnView, accent: string): Html {
  const say = sayOf(view);
  const ratio = (value: number) => formatNumber(view.language, Math.floor(value * 10) / 10);
  return html`<ul class="small">
${judgeAccent(accent).map(({ theme, contrast, shown, shownContrast }) => {
  const values = {
    theme: say(theme === 'light' ? 'theme_light' : 'theme_dark'),
    color: html`<code>${shown}</code>`,
    contrast: ratio(contrast),
    shown: ratio(shownContrast),
    needed: ratio(minContrast),
  };
  return html`<li>${say(shown === accent ? 'accent_fits' : 'accent_mended', values)}</li>\n`;
})}</ul>
`;
}

const logoField = (view: OwnView, logo: Logo | null): Html => {
  const say = sayOf(view);
  return html`${
    logo &&
    html`<p><img class="logo" src="${logoAddress(logo)}" alt="${say('logo_now')}" width="${logo.width}" height="${logo.height}"></p>
<label class="choice"><input type="checkbox" name="remove_logo" value="on"> <span>${say('logo_remove')}</span></label>\n`
  }<div class="field"><label for="logo-file">${say('logo')} <span class="hint">${view.say('optional')}</span></label>
<span class="hint" id="logo-hint">${say('logo_hint')}</span>
<input type="file" id="logo-file" name="file" accept="${pictureTypes.join(',')}" aria-describedby="logo-hint"></div>\n`;
};

function languageFields(view: OwnView, state: FormState): Html {
  const say = sayOf(view);
  const form = formFor(view, state, SiteUpdate);
  const options = languages.map((value) => ({ value, label: languageName(value) }));
  return panel(
    say('languages'),
    html`${form.choices('languages', { label: say('languages_offered'), options })}
${form.select('default_language', { label: say('default_language'), hint: say('default_language_hint'), options })}`,
  );
}

function mailFields(view: OwnView, state: FormState): Html {
  const say = sayOf(view);
  const form = formFor(view, state, SiteUpdate);
  const { fixed } = view.ctx.site;
  return panel(
    say('mail'),
    html`${form.text('contact_email', { label: say('contact_email'), hint: say('contact_email_hint'), type: 'email' })}
${fixed.mail_from_name === undefined ? form.text('mail_from_name', { label: say('mail_from_name'), hint: say('mail_from_name_hint') }) : fixedSetting(view, say('mail_from_name'), fixed.mail_from_name)}
${fixed.mail_reply_to === undefined ? form.text('mail_reply_to', { label: say('mail_reply_to'), hint: say('mail_reply_to_hint'), type: 'email' }) : fixedSetting(view, say('mail_reply_to'), fixed.mail_reply_to)}`,
  );
}

/** The texts of the choices, by value. */
const ruleOptions = {
  signup: { open: 'signup_open', closed: 'signup_closed' },
  signature_policy: { open: 'signature_policy_open', verified: 'signature_policy_verified' },
  moderation: { off: 'moderation_off', reports: 'moderation_reports', pre: 'moderation_pre' },
} as const;

function ruleFields(view: OwnView, state: FormState): Html {
  const say = sayOf(view);
  const form = formFor(view, state, SiteUpdate);
  const { fixed } = view.ctx.site;
  const fields = (['signup', 'signature_policy', 'moderation'] as const).map((name) => {
    const options = Object.entries(ruleOptions[name]).map(([value, text]) => ({
      value,
      label: say(text),
    }));
    const set = (fixed as Record<string, string | undefined>)[name];
    const label = say(`${name}_label`);
    if (set === undefined) return form.radios(name, { label, options });
    return fixedSetting(view, label, options.find(({ value }) => value === set)?.label);
  });
  return panel(say('rules'), html`${fields}`);
}

function moduleFields(view: OwnView, state: FormState): Html {
  const say = sayOf(view);
  const options = moduleNames.map((value) => ({ value, label: say(`module_${value}`) }));
  const form = formFor(view, state, SiteUpdate);
  return panel(
    say('modules'),
    form.choices('modules', { label: say('modules_on'), hint: say('modules_hint'), options }),
  );
}

/** A setting that an environment variable of the service sets. */
const fixedSetting = (view: OwnView, label: Content, value: Content): Html =>
  html`<dl class="pairs"><dt>${label}</dt><dd>${value} <span class="hint">${sayOf(view)('fixed')}</span></dd></dl>\n`;

/** Shows the site as it would be, or changes it. */
const submit: FormHandler = async (view, { fields }) => {
  const { ctx, viewer } = view;
  const changes = await readChanges(view, fields);
  const site = ctx.site.preview(changes);
  if (textOf(fields, 'go') !== 'preview') {
    shownUnchanged<SiteProfile>(fields, valuesOf)(ctx.site.current);
    await changeSettings(ctx, viewer.caller.userId, changes);
    return `${path}?done=site_saved`;
  }
  const values = { ...fields, ...valuesOf(site), revision: textOf(fields, 'revision') };
  return formPage(view, {
    state: { values },
    hidden: { revision: values.revision },
    notice: html`<p class="notice" role="status">${sayOf(view)('preview_lead')}</p>\n`,
    site,
  });
};

/**
 * The settings that a form sends and that differ from those in force.
 * @throws {Problem} validation-failed
 */
async function readChanges(view: OwnView, fields: Fields): Promise<SettingChanges> {
  const { current, fixed } = view.ctx.site;
  const shown = valuesOf(current);
  const input: Record<string, unknown> = {};
  for (const name of [...textFields, ...choiceFields]) {
    const text = textOf(fields, name);
    if (!(name in fixed) && text !== shown[name]) input[name] = text || null;
  }
  const offered = textsIn(fields, 'languages');
  if (!isDeepStrictEqual(offered, shown.languages)) input.languages = offered;
  const on = textsIn(fields, 'modules');
  const switched = moduleNames.filter((name) => on.includes(name) !== current.modules[name]);
  if (switched.length > 0) {
    input.modules = Object.fromEntries(switched.map((name) => [name, on.includes(name)]));
  }
  const changes = await changesOf(view.ctx, checkInput(SiteUpdate, input));
  return { ...changes, ...(await logoChange(view, fields)) };
}

async function logoChange({ ctx }: OwnView, fields: Fields): Promise<SettingChanges> {
  const file = fields.file as FormFile | undefined;
  const bytes = await file?.bytes();
  if (bytes && bytes.length > 0) return { logo: await uploadLogo(ctx, bytes, 'file') };
  if (textOf(fields, 'remove_logo') === 'on') return { logo: null };
  const hash = textOf(fields, 'logo');
  if (hash === (ctx.site.current.logo?.hash ?? '')) return {};
  return { logo: hash === '' ? null : await findLogo(ctx, hash, 'file') };
}
