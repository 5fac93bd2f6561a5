import type { Config } from '../../config.ts';
import type { Context } from '../../platform/context.ts';
import { networkOf } from '../../platform/limits.ts';
import type { Language } from '../../platform/pages/language.ts';
import { takeSolution } from './proof-of-work.ts';
import { notJudged, refused } from './refusals.ts';
import { widgetOf as widgetOfService, type Widget } from './services.ts';
import { askService } from './verdicts.ts';

export type { Widget } from './services.ts';

/** What somebody shows who is no robot, and from which address. */
interface Shown {
  token: string | undefined;
  ip: string;
}

/**
 * Takes what shows that no robot is at work, where that is asked for; it counts once. Where a service of
 * others judges, this waits for it: see `isJudgedElsewhere`.
 * @throws {Problem} validation-failed where there is nothing, or nothing that counts; unavailable where the
 *   service does not say, and more have passed unjudged from that address than may
 */
export async function requireCaptcha(ctx: Context, { token, ip }: Shown): Promise<void> {
  const { captcha } = ctx.config;
  if (captcha === 'off') return;
  if (!token) throw refused(wanted(captcha), 'required');
  if (captcha === 'altcha') return takeSolution(ctx, token);
  const verdict = await askService(ctx, captcha, { token, ip });
  if (verdict === 'refused') throw refused('The service did not accept this token. Get a new one.');
  if (verdict === 'unknown' && !(await skipCaptcha(ctx, ip))) throw notJudged();
}

const wanted = (captcha: Config['captcha']) =>
  captcha === 'altcha'
    ? 'Solve a challenge of GET /v1/captcha/challenge first.'
    : 'Get a token of the service that GET /v1/captcha names first.';

/** Whether a proof is judged over the network, so that no transaction may be open meanwhile. */
export const isJudgedElsewhere = ({ captcha }: Config): boolean => typeof captcha === 'object';

/**
 * Whether a form of a page may go without a proof, as browsers that run no scripts send it, or with one that
 * nobody could judge. Few an hour may from one address, far fewer than with one: whoever has many to send
 * is better off doing the work.
 */
export const skipCaptcha = async ({ config, limits }: Context, ip: string): Promise<boolean> =>
  config.captcha === 'off' || limits.count('unsolved-form', networkOf(ip));

/** The widget that pages show in that language, where a service of others has one. */
export const widgetFor = ({ captcha }: Config, language: Language): Widget | undefined =>
  typeof captcha === 'object' ? widgetOfService(captcha, language) : undefined;
