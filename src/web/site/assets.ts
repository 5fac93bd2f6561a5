import { mailDomainsScript } from '../../platform/mail-suggestions.ts';
import { asset } from '../../platform/pages/assets.ts';

/** Enhancements of all pages. */
export const siteScript = asset(new URL('site.js', import.meta.url));
/** Suggestions below fields, such as that of the search. */
export const searchScript = asset(new URL('search.js', import.meta.url));
/** Suggestions of fields for places. Stands after search.js. */
export const placeScript = asset(new URL('place-field.js', import.meta.url));
/** Uploads the pictures of `pictureForm`. */
export const pictureScript = asset(new URL('picture.js', import.meta.url));

/** Saves drafts while they are written. */
export const draftScript = asset(new URL('draft.js', import.meta.url));

/** Uploads pictures for texts. */
export const textPictureScript = asset(new URL('text-pictures.js', import.meta.url));

/** Looks whether a mail that the page waits for was answered elsewhere, or came back. */
export const awaitedMailScript = asset(new URL('awaited-mail.js', import.meta.url));

/** Suggests what a mistyped address was meant to be. */
export const addressScript = asset(
  [mailDomainsScript, new URL('address-field.js', import.meta.url)],
  'address-field.js',
);

/** Computes a proof of work. */
export const captchaScript = asset(new URL('captcha.js', import.meta.url));
/** Shows the widget of a CAPTCHA service. */
export const captchaWidgetScript = asset(new URL('captcha-widget.js', import.meta.url));
/** The worker that captcha.js runs. */
export const captchaWorker = asset(
  import.meta.resolve('altcha/workers/pbkdf2'),
  'altcha-pbkdf2.js',
);

export const siteAssets = [
  siteScript,
  searchScript,
  placeScript,
  pictureScript,
  draftScript,
  textPictureScript,
  awaitedMailScript,
  addressScript,
  captchaScript,
  captchaWidgetScript,
  captchaWorker,
];
