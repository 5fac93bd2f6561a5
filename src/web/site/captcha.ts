import { attribute, html, type Html } from '../../platform/html.ts';
import type { Asset } from '../../platform/pages/assets.ts';
import type { Sources } from '../../platform/pages/page.ts';
import type { Problem } from '../../platform/problems.ts';
import {
  requireCaptcha,
  skipCaptcha,
  widgetFor,
  type Widget,
} from '../../identity/captcha/captcha.ts';
import { captchaScript, captchaWidgetScript, captchaWorker } from './assets.ts';
import type { FormState } from './fields.ts';
import type { View } from './view.ts';

/** Scripts and sources of a page whose form has a CAPTCHA. */
export function captchaAssets({ ctx, language }: View): { scripts: Asset[]; sources?: Sources } {
  const { captcha } = ctx.config;
  if (captcha === 'off') return { scripts: [] };
  const widget = widgetFor(ctx.config, language);
  return widget
    ? { scripts: [captchaWidgetScript], sources: widget.sources }
    : { scripts: [captchaScript] };
}

/** What a form sends once its check is done. */
type Sent = 'signature' | 'message';

/** Where the form computes a proof of work, or shows the widget of a CAPTCHA service. */
export function captchaFields(view: View, sent: Sent): Html | undefined {
  const { config } = view.ctx;
  if (config.captcha === 'off') return undefined;
  const widget = widgetFor(config, view.language);
  return widget ? widgetContainer(view, widget, sent) : proofOfWork(view, sent);
}

function proofOfWork({ say }: View, sent: Sent): Html {
  return html`<p class="small quiet" role="status" data-captcha="/v1/captcha/challenge" data-worker="${captchaWorker.address}" data-working="${say('proof_working')}" data-waiting="${say(`proof_waiting_${sent}`)}" data-done="${say('proof_done')}"></p>\n`;
}

function widgetContainer(
  { say }: View,
  { script, api, parameters, scores }: Widget,
  sent: Sent,
): Html {
  return html`<div data-captcha-widget data-script="${script}" data-api="${api}" data-parameters="${JSON.stringify(parameters)}"${attribute('data-scores', scores)} data-working="${say('widget_loading')}" data-waiting="${say(scores ? `proof_waiting_${sent}` : `widget_waiting_${sent}`)}"><div></div><p class="small quiet" role="status"></p></div>\n`;
}

/** What to do if the form was refused because of the CAPTCHA. */
export function captchaProblem(view: View, { problem }: FormState): Html | undefined {
  const name = problem && captchaTextOf(view, problem);
  return name && view.say(name);
}

function captchaTextOf({ ctx }: View, { code, errors }: Problem) {
  if (code === 'captcha_unavailable') return 'widget_away';
  const error = errors?.find(({ field }) => field === 'recaptchaToken');
  if (!error) return undefined;
  if (error.code === 'required') return 'proof_missing';
  return ctx.config.captcha === 'altcha' ? 'proof_refused' : 'widget_refused';
}

/**
 * Verifies the CAPTCHA token of a form. Browsers without scripts send none: a limited number of their forms is accepted.
 * @throws {Problem} as `requireCaptcha`
 */
export async function requireFormCaptcha(
  { ctx, ip }: View,
  { recaptchaToken: token }: { recaptchaToken?: string },
): Promise<void> {
  if (token === undefined && (await skipCaptcha(ctx, ip))) return;
  await requireCaptcha(ctx, { token, ip });
}
