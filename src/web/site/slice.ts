import { stringifySetCookie } from 'cookie';
import { isLanguage, languageCookie } from '../../platform/pages/language.ts';
import type { Slice } from '../../platform/slice.ts';
import { siteAssets } from './assets.ts';
import { localPathOr } from './input.ts';
import { textOf, type Site } from './routes.ts';

/** Forms that are on every page. */
export const siteSlice = (site: Site): Slice => ({
  assets: siteAssets,
  routes: [
    site.form({
      id: 'chooseLanguage',
      path: '/language',
      access: 'anyone',
      act({ ctx, header }, { fields }) {
        const language = textOf(fields, 'language');
        if (isLanguage(language)) {
          header(
            'set-cookie',
            stringifySetCookie({
              name: languageCookie,
              value: language,
              path: '/',
              maxAge: 31_536_000,
              httpOnly: true,
              sameSite: 'lax',
              secure: ctx.config.baseUrl.startsWith('https:'),
            }),
          );
        }
        return localPathOr(textOf(fields, 'next'), '/');
      },
    }),
  ],
});
