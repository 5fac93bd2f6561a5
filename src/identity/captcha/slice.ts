import type { Config } from '../../config.ts';
import type { Context } from '../../platform/context.ts';
import { bare, one, type Route, routes } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import { newChallenge } from './proof-of-work.ts';
import { deleteExpired } from './queries.ts';
import { CaptchaChallenge, CaptchaDemand } from './schema.ts';

export const captchaSlice = (ctx: Context): Slice => ({
  routes: [
    api.get('/v1/captcha', {
      id: 'getCaptcha',
      summary: 'Which CAPTCHA token signing requires',
      description:
        'Tells a form which widget to show before it sends a signature without an account. `service` is `off` where no token is needed.',
      auth: { access: 'anyone', ignoresCredentials: true },
      worksWithoutDatabase: true,
      returns: one(CaptchaDemand),
      handle: (call) => demandOf(call.ctx.config),
    }),
    ...(ctx.config.captcha === 'altcha' ? [challengeRoute] : []),
  ],
  jobs: { 'forget-used-challenges': () => deleteExpired(ctx.db) },
  schedules: [{ job: 'forget-used-challenges', cron: '53 * * * *' }],
});

const api = routes('Signatures');

function demandOf({ captcha }: Config): CaptchaDemand {
  if (typeof captcha !== 'object') return { service: captcha, site_key: null, version: null };
  const { name: service, siteKey: site_key, isScored } = captcha;
  const version = isScored ? 3 : 2;
  return { service, site_key, version: service === 'recaptcha' ? version : null };
}

const challengeRoute: Route = api.get('/v1/captcha/challenge', {
  id: 'getCaptchaChallenge',
  summary: 'Get a challenge whose solution signing requires',
  description:
    'A proof of work that ALTCHA clients (https://altcha.org) solve: derive keys from nonce and a counter, from 0 on, until one begins with `keyPrefix`. Send the solution as `recaptchaToken` within 10 minutes; it is valid for one attempt.',
  auth: { access: 'anyone', ignoresCredentials: true },
  returns: bare(CaptchaChallenge),
  handle: (call) => {
    call.header('cache-control', 'no-store');
    return newChallenge(call.ctx);
  },
});
