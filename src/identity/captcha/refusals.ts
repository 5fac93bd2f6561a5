import { Problem, validationFailed, type FieldErrorCode } from '../../platform/problems.ts';

/** The token is missing or invalid. */
export const invalidCaptcha = (message: string, code: FieldErrorCode = 'invalid_value') =>
  validationFailed({ field: 'recaptchaToken', message, code });

/** The service gave no verdict on the token. */
export const noVerdict = () =>
  new Problem(
    'unavailable',
    'The check against robots does not answer at the moment. Try again in a minute.',
    { code: 'captcha_unavailable', headers: { 'retry-after': '60' } },
  );
