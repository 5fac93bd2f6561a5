import type { Context } from '../../platform/context.ts';
import { bare, route } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import { newChallenge } from './captcha.ts';
import { forgetExpired } from './queries.ts';
import { CaptchaChallenge } from './schema.ts';

/** Only where CAPTCHA asks for a proof of work. */
export const captchaSlice = (ctx: Context): Slice => ({
  routes: [
    route({
      id: 'getCaptchaChallenge',
      method: 'GET',
      path: '/v1/captcha/challenge',
      summary: 'Get a challenge, whose solution signing asks for',
      description:
        'A proof of work that clients of ALTCHA (https://altcha.org) solve by themselves: derive keys from nonce and a counter, from 0 on, until one begins with `keyPrefix`. Send the solution as `recaptchaToken` within 10 minutes; it counts for one attempt.',
      tag: 'Signatures',
      access: 'anyone',
      ignoresCredentials: true,
      returns: bare(CaptchaChallenge),
      handle: (call) => {
        call.header('cache-control', 'no-store');
        return newChallenge(call.ctx);
      },
    }),
  ],
  jobs: { 'forget-used-challenges': () => forgetExpired(ctx.db) },
  schedules: [{ job: 'forget-used-challenges', cron: '53 * * * *' }],
});
