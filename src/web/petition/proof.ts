import { html, type Html } from '../../platform/html.ts';
import { assetAddress } from '../../platform/pages/assets.ts';
import { speak } from '../../platform/pages/catalog.ts';
import type { FormState, View } from '../site/site.ts';
import { petitionTexts } from './texts.ts';

/** Scripts of a page whose form has a proof of work. */
export const proofScripts = ({ ctx }: View): string[] =>
  ctx.config.captcha === 'off' ? [] : ['captcha.js'];

/** Where the form tells of its proof of work, which the script does by itself. */
export function proofState({ ctx, language }: View): Html | undefined {
  if (ctx.config.captcha === 'off') return undefined;
  const say = speak(petitionTexts, language);
  return html`<p class="small quiet" role="status" data-captcha="/v1/captcha/challenge" data-worker="${assetAddress('altcha-pbkdf2.js')}" data-working="${say('proof_working')}" data-waiting="${say('proof_waiting')}" data-done="${say('proof_done')}"></p>\n`;
}

/** What to do where the form was refused for want of a proof. */
export function proofFault({ language }: View, { problem }: FormState): Html | undefined {
  const error = problem?.errors?.find(({ field }) => field === 'recaptchaToken');
  if (!error) return undefined;
  const say = speak(petitionTexts, language);
  return say(error.code === 'required' ? 'proof_missing' : 'proof_refused');
}
