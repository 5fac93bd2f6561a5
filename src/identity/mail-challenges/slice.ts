import type { Context } from '../../platform/context.ts';
import { bare, one, routes } from '../../platform/http/route.ts';
import { languageOf } from '../../platform/pages/language.ts';
import { localPath } from '../../platform/pages/path.ts';
import { invalidValue } from '../../platform/problems.ts';
import type { Slice } from '../../platform/slice.ts';
import type { FirstProof } from '../first-proof/first-proof.ts';
import { TokenPair } from '../sessions/schema.ts';
import { sourceOf, type Sessions } from '../sessions/sessions.ts';
import { createChallenge, sendChallenge, type ChallengeJob } from './challenges.ts';
import {
  deleteOldChallenges,
  eraseChallenges,
  exportChallenges,
  forgetRegistrations,
} from './queries.ts';
import { MagicLinkInput, MagicLinkVerification, MailChallenge } from './schema.ts';
import { signInByMail } from './sign-in.ts';

const api = routes('Authentication');

export const mailChallengesSlice = (
  ctx: Context,
  sessions: Sessions,
  firstProof: FirstProof,
): Slice => ({
  routes: [
    api.post('/v1/auth/magic-link', {
      id: 'requestMagicLink',
      summary: 'Get a mail with a link and a code that sign in',
      description:
        'Valid for 15 minutes, once; only the newest three of an address. The answer is the same for every address, in equal time, also where too many mails went to it. The link opens a page with a button, on any device; the code is for the device that asked.',
      auth: { access: 'anyone', ignoresCredentials: true },
      body: { schema: MagicLinkInput, example: { email: 'ada@example.org' } },
      returns: one(MailChallenge, 202),
      handle: ({ ctx: within, body, ip, headers }) =>
        createChallenge(within, {
          email: body.email,
          redirect: redirectOf(body.redirect),
          language: languageOf(headers, ctx.site.current),
          ip,
        }),
    }),
    api.post('/v1/auth/magic-link/verify', {
      id: 'verifyMagicLink',
      summary: 'Log in with the token of the link, or the code',
      description:
        'With `token`, or with `challenge` and `code`; answered as logging in is. `display_name` opens an account for an address without one; without it the answer is 422 required at display_name, and nothing is used up. The first proof of an address, unless it comes from the browser that registered, gives it a new account: see `GET /v1/users/me/earlier-account`. A wrong code is 422, after five the answer is 429, for the right one too; the link goes on working. 410 for what was used, is old, or has three newer ones.',
      auth: { access: 'anyone', ignoresCredentials: true },
      body: { schema: MagicLinkVerification, example: { token: 'Zk3Y0cR3q8T1b2V5x7N9aQ' } },
      returns: bare(TokenPair),
      problems: ['forbidden', 'gone'],
      async handle(call) {
        const { ctx: within, body, ip, header, headers } = call;
        header('cache-control', 'no-store');
        const { display_name: displayName, ...answer } = body;
        const language = languageOf(headers, ctx.site.current);
        const signIn = { answer, displayName, ip, language, headers };
        const { user } = await signInByMail(within, signIn, firstProof);
        return sessions.openSession(within, user, sourceOf(call));
      },
    }),
  ],
  mailJobs: { 'send-mail-challenge': (job: ChallengeJob) => sendChallenge(ctx, job) },
  jobs: { 'forget-mail-challenges': () => deleteOldChallenges(ctx.db) },
  schedules: [{ job: 'forget-mail-challenges', cron: '29 * * * *' }],
  personalData: {
    name: 'mail_challenges',
    export: exportChallenges,
    erase: eraseChallenges,
    quarantine: { hide: forgetRegistrations },
  },
});

/** @throws {Problem} validation-failed if it can lead to another site */
function redirectOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  const path = localPath(text);
  if (path === undefined)
    throw invalidValue('redirect', 'Send a path of this site, such as /start.');
  return path;
}
