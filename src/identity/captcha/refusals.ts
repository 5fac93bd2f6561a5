import { Problem, validationFailed, type FieldErrorCode } from '../../platform/problems.ts';

/** The token is not what was asked for. */
export const refused = (message: string, code: FieldErrorCode = 'invalid_value') =>
  validationFailed({ field: 'recaptchaToken', message, code });

/** Nobody could judge the token. */
export const notJudged = () =>
  new Problem(
    'unavailable',
    'The check against robots does not answer at the moment. Try again in a minute.',
    { code: 'captcha_unavailable', headers: { 'retry-after': '60' } },
  );
