import { mailDomainsScript } from '../../platform/mail-suggestions.ts';
import { asset } from '../../platform/pages/assets.ts';

/** Enhancements of all pages. */
export const siteScript = asset(new URL('site.js', import.meta.url));
/** Suggestions of the search field. */
export const searchScript = asset(new URL('search.js', import.meta.url));
/** Uploads the pictures of `pictureForm`. */
export const pictureScript = asset(new URL('picture.js', import.meta.url));

/** Uploads pictures for texts. */
export const textPictureScript = asset(new URL('text-pictures.js', import.meta.url));

/** Looks whether a mail that the page waits for was answered elsewhere, or came back. */
export const awaitedMailScript = asset(new URL('awaited-mail.js', import.meta.url));

/** Suggests what a mistyped address was meant to be. */
export const addressScript = asset(
  [mailDomainsScript, new URL('address-field.js', import.meta.url)],
  'address-field.js',
);

export const siteAssets = [
  siteScript,
  searchScript,
  pictureScript,
  textPictureScript,
  awaitedMailScript,
  addressScript,
];
