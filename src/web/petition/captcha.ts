import { attribute, html, type Html } from '../../platform/html.ts';
import type { Asset } from '../../platform/pages/assets.ts';
import { speak } from '../../platform/pages/catalog.ts';
import type { Sources } from '../../platform/pages/page.ts';
import type { Problem } from '../../platform/problems.ts';
import { widgetFor, type Widget } from '../../identity/captcha/captcha.ts';
import type { FormState, View } from '../site/site.ts';
import { captchaScript, captchaWidgetScript, captchaWorker } from './assets.ts';
import { petitionTexts } from './texts.ts';

/** Scripts and sources of a page whose form has a CAPTCHA. */
export function captchaAssets({ ctx, language }: View): { scripts: Asset[]; sources?: Sources } {
  const { captcha } = ctx.config;
  if (captcha === 'off') return { scripts: [] };
  const widget = widgetFor(ctx.config, language);
  return widget
    ? { scripts: [captchaWidgetScript], sources: widget.sources }
    : { scripts: [captchaScript] };
}

/** Where the form computes a proof of work, or shows the widget of a CAPTCHA service. */
export function captchaFields(view: View): Html | undefined {
  const { config } = view.ctx;
  if (config.captcha === 'off') return undefined;
  const widget = widgetFor(config, view.language);
  return widget ? widgetContainer(view, widget) : proofOfWork(view);
}

function proofOfWork({ language }: View): Html {
  const say = speak(petitionTexts, language);
  return html`<p class="small quiet" role="status" data-captcha="/v1/captcha/challenge" data-worker="${captchaWorker.address}" data-working="${say('proof_working')}" data-waiting="${say('proof_waiting')}" data-done="${say('proof_done')}"></p>\n`;
}

function widgetContainer({ language }: View, { script, api, parameters, scores }: Widget): Html {
  const say = speak(petitionTexts, language);
  return html`<div data-captcha-widget data-script="${script}" data-api="${api}" data-parameters="${JSON.stringify(parameters)}"${attribute('data-scores', scores)} data-working="${say('widget_loading')}" data-waiting="${say(scores ? 'proof_waiting' : 'widget_waiting')}"><div></div><p class="small quiet" role="status"></p></div>\n`;
}

/** What to do if the form was refused because of the CAPTCHA. */
export function captchaProblem(view: View, { problem }: FormState): Html | undefined {
  const name = problem && captchaTextOf(view, problem);
  return name && speak(petitionTexts, view.language)(name);
}

function captchaTextOf({ ctx }: View, { code, errors }: Problem) {
  if (code === 'captcha_unavailable') return 'widget_away';
  const error = errors?.find(({ field }) => field === 'recaptchaToken');
  if (!error) return undefined;
  if (error.code === 'required') return 'proof_missing';
  return ctx.config.captcha === 'altcha' ? 'proof_refused' : 'widget_refused';
}
