import { asset } from '../../platform/pages/assets.ts';

export const petitionStyles = asset(new URL('petition.css', import.meta.url));
export const petitionScript = asset(new URL('petition.js', import.meta.url));
/** Opens the share sheet of the device. */
export const shareScript = asset(new URL('share.js', import.meta.url));
/** Computes a proof of work. */
export const captchaScript = asset(new URL('captcha.js', import.meta.url));
/** Shows the widget of a CAPTCHA service. */
export const captchaWidgetScript = asset(new URL('captcha-widget.js', import.meta.url));
/** The worker that captcha.js runs. */
export const captchaWorker = asset(
  import.meta.resolve('altcha/workers/pbkdf2'),
  'altcha-pbkdf2.js',
);

export const petitionAssets = [
  petitionStyles,
  petitionScript,
  shareScript,
  captchaScript,
  captchaWidgetScript,
  captchaWorker,
];
