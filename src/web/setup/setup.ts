import { logInBrowser } from '../../identity/browser-sessions/browser-sessions.ts';
import { maxBytes, pictureTypes } from '../../campaigns/media/schema.ts';
import { RegisterInput } from '../../identity/accounts/schema.ts';
import { SetupInput } from '../../oversight/setup/schema.ts';
import { requireUsableLink, setUp } from '../../oversight/setup/setup.ts';
import { changesOf, uploadLogo } from '../../oversight/site-settings/site-settings.ts';
import { SitePageInput } from '../../oversight/site-pages/schema.ts';
import { SiteUpdate } from '../../oversight/site-settings/schema.ts';
import type { FormFile } from '../../platform/http/bodies.ts';
import type { Route } from '../../platform/http/route.ts';
import { html } from '../../platform/html.ts';
import { plainText, speak } from '../../platform/pages/catalog.ts';
import { invalidValue, Problem } from '../../platform/problems.ts';
import { isLanguage, languageName, languages } from '../../platform/pages/language.ts';
import type { SettingChanges } from '../../platform/site/site-settings.ts';
import {
  checkInput,
  field,
  formFor,
  formToken,
  hiddenFields,
  noIndex,
  panel,
  readForm,
  reportProblem,
  sitePage,
  stateOf,
  textOf,
  textsIn,
  type Fields,
  type FormHandler,
  type PageHandler,
  type Site,
  type View,
} from '../site/site.ts';
import { setupTexts } from './texts.ts';

const path = '/setup';

/** The page on which a new instance gets its first administrator, and what else is decided by then. */
export const setupPage = (site: Site): Route[] =>
  site.page({
    id: 'showSetup',
    closedToCrawlers: true,
    path,
    access: 'anyone',
    show: showForm,
    forms: {
      setup: {
        id: 'submitSetup',
        largestFile: maxBytes,
        act: (view, request) => submit(site, view, request),
      },
    },
  });

const showForm: PageHandler<{}, View> = async (view, request) => {
  const say = speak(setupTexts, view.language);
  const { site } = view.ctx;
  const state = stateOf(request, 'setup', {
    accent: site.current.accent,
    languages: [...languages],
    default_language: view.language,
    tests_mail: 'on',
  });
  const token = textOf(state.values, 'token') || (request.query.token ?? '');
  await requireUsableLink(view.ctx, token);
  reportProblem(view, state);
  const form = formFor(view, state, SetupInput);
  const languageOptions = languages.map((value) => ({ value, label: languageName(value) }));
  return sitePage(view, {
    title: say('title'),
    head: noIndex,
    main: html`<h1>${say('title')}</h1>
<p class="lead">${say('lead')}</p>
<form method="post" action="${path}" enctype="multipart/form-data">${formToken(view)}${hiddenFields({ token })}
${panel(
  say('administrator'),
  html`${form.text('display_name', { label: say('your_name'), autocomplete: 'name' })}
${form.text('email', { label: say('email'), type: 'email', autocomplete: 'username' })}
${form.text('password', { label: say('password'), type: 'password', autocomplete: 'new-password' })}
${form.checkbox('tests_mail' as 'name', { label: say('tests_mail') })}`,
)}${panel(
      say('look'),
      html`<p>${say('later')}</p>
${form.text('name', { label: say('name') })}
${form.text('tagline', { label: say('tagline'), hint: say('tagline_hint') })}
${form.text('accent', { label: say('accent') })}
<div class="field"><label for="logo-file">${say('logo')} <span class="hint">${view.say('optional')}</span></label>
<input type="file" id="logo-file" name="file" accept="${pictureTypes.join(',')}"></div>`,
    )}${panel(
      say('languages'),
      html`${form.choices('languages', { label: say('languages_offered'), options: languageOptions })}
${form.select('default_language', { label: say('default_language'), options: languageOptions })}`,
    )}${panel(
      say('contact'),
      form.text('contact_email', {
        label: say('contact_email'),
        hint: say('contact_email_hint'),
        type: 'email',
      }),
    )}${panel(
      say('imprint'),
      field(view, state, {
        name: 'imprint',
        label: say('imprint_text'),
        hint: say('imprint_hint'),
        type: 'textarea',
        rows: 6,
        maxLength: maxImprintLength,
      }),
    )}<p><button class="large">${say('finish')}</button></p>
</form>`,
  });
};

const siteFields = [
  'name',
  'tagline',
  'accent',
  'languages',
  'default_language',
  'contact_email',
] as const;

/** Makes the administrator and the settings, and logs the browser in. */
async function submit(
  { sessions }: Site,
  view: View,
  { fields }: Parameters<FormHandler<{}, View>>[1],
): Promise<string> {
  const { ctx } = view;
  const token = textOf(fields, 'token');
  await requireUsableLink(ctx, token);
  const administrator = readForm(RegisterInput, fields, ['display_name', 'email', 'password'], {
    untrimmed: ['password'],
  });
  const userId = await setUp(ctx, {
    token,
    administrator,
    settings: await readSettings(view, fields),
    imprint: readImprint(view, fields),
    testsMail: textOf(fields, 'tests_mail') === 'on',
    language: view.language,
  });
  // Roles are known by their own poll.
  await sessions.revocations.refresh();
  await logInBrowser(sessions, view, userId);
  return '/admin/site?done=set_up';
}

const maxImprintLength = 5000;

/** The imprint in the default language, if it is written. */
function readImprint(view: View, fields: Fields) {
  const body = textOf(fields, 'imprint');
  if (body === '') return undefined;
  const chosen = textOf(fields, 'default_language');
  const language = isLanguage(chosen) ? chosen : view.language;
  const title = plainText(setupTexts, language, 'imprint');
  try {
    return { ...checkInput(SitePageInput, { title, body }), language };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw invalidValue('imprint', error.errors?.[0]?.message ?? error.message);
  }
}

/** What was decided; the rest stays as the service does it by itself. */
async function readSettings(view: View, fields: Fields): Promise<SettingChanges> {
  const { ctx } = view;
  const input = readForm(SiteUpdate, fields, siteFields);
  const { languages: offered, ...others } = input;
  const given = Object.entries(others).filter(([, value]) => value !== null);
  const isAll = textsIn(fields, 'languages').length === languages.length;
  const changes = await changesOf(ctx, {
    ...Object.fromEntries(given),
    ...(offered && !isAll && { languages: offered }),
  });
  const { accent, defaultLanguage } = ctx.site.current;
  if (changes.accent === accent) delete changes.accent;
  if (changes.default_language === defaultLanguage) delete changes.default_language;
  const file = fields.file as FormFile | undefined;
  if (!file || file.size === 0) return changes;
  return { ...changes, logo: await uploadLogo(ctx, await file.bytes(), 'file') };
}
