import { Readable } from 'node:stream';
import { eraseAccount, exportPersonalData } from '../../identity/accounts/accounts.ts';
import { EraseInput } from '../../identity/accounts/schema.ts';
import { logOutBrowser } from '../../identity/browser-sessions/browser-sessions.ts';
import type { Sessions } from '../../identity/sessions/sessions.ts';
import { html } from '../../platform/html.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import type { PersonalData } from '../../platform/slice.ts';
import {
  checkInput,
  field,
  formAlert,
  formToken,
  given,
  sitePage,
  type Fields,
  type FormState,
  type OwnView,
  type View,
} from '../site/site.ts';
import { settingsTexts } from './texts.ts';

/** All that the service holds about the viewer, as a file. */
export async function downloadData(
  { ctx, header, viewer }: OwnView,
  holders: PersonalData[],
): Promise<RawAnswer> {
  const pieces = await exportPersonalData(ctx, viewer.caller, holders, 2);
  header('content-disposition', 'attachment; filename="my-data.json"');
  header('cache-control', 'no-store');
  return { mediaType: 'application/json', body: Readable.from(pieces, { objectMode: false }) };
}

/** Says what erasing does, and asks for the password. */
export function erasePage(view: OwnView, state: FormState): RawAnswer {
  const say = speak(settingsTexts, view.language);
  return sitePage(view, {
    title: say('erase'),
    main: html`<h1>${say('erase')}</h1>
<h2>${say('erase_goes')}</h2>
<ul><li>${say('erase_goes_1')}</li><li>${say('erase_goes_2')}</li><li>${say('erase_goes_3')}</li></ul>
<h2>${say('erase_stays')}</h2>
<ul><li>${say('erase_stays_1')}</li><li>${say('erase_stays_2')}</li><li>${say('erase_stays_3')}</li></ul>
<p class="notice warn">${say('erase_first')} <a href="/settings/data" download>${say('download')}</a></p>
${formAlert(view, state)}<form method="post" action="/settings/erase">${formToken(view)}
${field(view, state, {
  name: 'password',
  label: say('erase_password'),
  hint: html`${say('erase_forgotten')} <a href="/settings#email">${say('send_link')}</a>`,
  type: 'password',
  autocomplete: 'current-password',
  required: true,
})}<p class="row"><button class="danger">${say('erase_now')}</button>
<a href="/settings">${view.say('cancel')}</a></p>
</form>`,
  });
}

/** Erases the account, and forgets the browser. */
export async function erase(
  sessions: Sessions,
  { ctx, header, viewer, browser }: OwnView,
  holders: PersonalData[],
  fields: Fields,
): Promise<RawAnswer> {
  const { password } = checkInput(EraseInput, given({ password: fields.password }));
  await eraseAccount(ctx, viewer.caller, password, holders);
  await logOutBrowser(ctx, sessions, header, browser!);
  return redirectTo(header, '/goodbye', 303);
}

/** What is left to say. */
export function goodbyePage(view: View): RawAnswer {
  const say = speak(settingsTexts, view.language);
  view.header('x-robots-tag', 'noindex');
  return sitePage(view, {
    title: say('erased'),
    main: html`<h1>${say('erased')}</h1>
<p class="lead">${say('erased_lead')}</p>
<p><a href="/">${view.say('home')}</a></p>`,
  });
}
