import type { Config } from '../../config.ts';
import type { Context } from '../../platform/context.ts';
import { networkOf, type Quota } from '../../platform/limits.ts';
import type { Language } from '../../platform/pages/language.ts';
import { invalidValue, Problem, validationFailed } from '../../platform/problems.ts';
import { takeSolution } from './proof-of-work.ts';
import { verifyToken, widgetOf, type Widget } from './services.ts';

export type { Widget } from './services.ts';

/** Forms without a CAPTCHA solution, from browsers without scripts, and solutions that could not be verified. */
const unsolvedFormQuota: Quota = { name: 'unsolved-form', points: 3, durationSeconds: 3600 };

/**
 * Verifies and uses up a CAPTCHA token, if the configuration requires one. Calls the external service if
 * one is configured: see `usesCaptchaService`.
 * @throws {Problem} validation-failed for a missing or invalid token; unavailable if the service does not
 *   answer and the address has used up its unverified requests
 */
export async function requireCaptcha(
  ctx: Context,
  { token, ip }: { token: string | undefined; ip: string },
): Promise<void> {
  const { captcha } = ctx.config;
  if (captcha === 'off') return;
  if (!token) throw missingToken(captcha);
  if (captcha === 'altcha') return takeSolution(ctx, token);
  const status = await verifyToken(ctx, captcha, { token, ip });
  if (status === 'invalid') {
    throw invalidValue('recaptchaToken', 'The service did not accept this token. Get a new one.');
  }
  if (status === 'unknown' && !(await skipCaptcha(ctx, ip))) throw serviceUnavailable();
}

function missingToken(captcha: Config['captcha']): Problem {
  const message =
    captcha === 'altcha'
      ? 'Solve a challenge of GET /v1/captcha/challenge first.'
      : 'Get a token of the service that GET /v1/captcha names first.';
  return validationFailed({ field: 'recaptchaToken', message, code: 'required' });
}

const serviceUnavailable = () =>
  new Problem(
    'unavailable',
    'The check against robots does not answer at the moment. Try again in a minute.',
    { code: 'captcha_unavailable', headers: { 'retry-after': '60' } },
  );

/** Returns whether verification calls an external service; no transaction may be open meanwhile. */
export const usesCaptchaService = ({ captcha }: Config): boolean => typeof captcha === 'object';

/**
 * Returns whether a form can be accepted without a verified token: from browsers without JavaScript, or
 * while the service does not answer. Allows a few per hour and address.
 */
export const skipCaptcha = async (
  { config, limits, sharedNetworks }: Context,
  ip: string,
): Promise<boolean> =>
  config.captcha === 'off' ||
  limits.tryTake(sharedNetworks.raiseQuota(unsolvedFormQuota, ip), networkOf(ip));

/** Returns the widget of the external service, if one is configured. */
export const widgetFor = ({ captcha }: Config, language: Language): Widget | undefined =>
  typeof captcha === 'object' ? widgetOf(captcha, language) : undefined;
