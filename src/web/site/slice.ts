import { setCookie } from '../../platform/cookies.ts';
import { isLanguage } from '../../platform/pages/language.ts';
import { updateAccount } from '../../identity/accounts/accounts.ts';
import type { Context } from '../../platform/context.ts';
import type { PictureOwners } from '../../campaigns/media/media.ts';
import type { Call, RawAnswer } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import { siteAssets } from './assets.ts';
import { localPathOr } from './input.ts';
import { deleteOldForms } from './kept-forms.ts';
import { refusedField } from './refused-form.ts';
import { previewForm } from './preview.ts';
import { textOf, type Site } from './page-routes.ts';
import { textPictureForms } from './text-pictures.ts';

/**
 * Redirects to the address of a refused form, which then shows it again. 307 keeps the method and the body. The browser
 * must state the origin of the form there, so that the referrer stays.
 */
function sendAgain(header: Call['header'], location: string): RawAnswer {
  header('location', location);
  header('cache-control', 'no-store');
  header('referrer-policy', 'same-origin');
  return { status: 307, mediaType: 'text/plain', body: '' };
}

/** Forms that are on every page. */
export const siteSlice = (ctx: Context, site: Site, pictureOwners: PictureOwners): Slice => ({
  assets: siteAssets,
  jobs: { 'forget-kept-forms': () => deleteOldForms(ctx.db) },
  schedules: [{ job: 'forget-kept-forms', cron: '11 * * * *' }],
  routes: [
    site.continueForm(),
    previewForm(site),
    ...textPictureForms(site, pictureOwners),
    site.form({
      id: 'chooseLanguage',
      path: '/language',
      access: 'anyone',
      async act({ ctx: within, header, viewer }, { fields }) {
        const language = textOf(fields, 'language');
        if (isLanguage(language)) {
          if (viewer) await updateAccount(within, viewer.caller, { language });
          setCookie(within, header, 'language', language);
        }
        const next = localPathOr(textOf(fields, 'next'), '/');
        return fields[refusedField] === undefined ? next : sendAgain(header, next);
      },
    }),
  ],
});
