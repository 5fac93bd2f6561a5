import type { CaptchaService } from '../../config.ts';
import type { Context } from '../../platform/context.ts';
import { formType } from '../../platform/http/headers.ts';
import { Unreachable } from '../../platform/safe-fetch.ts';
import { verifierOf } from './services.ts';

/** What a service says of a token; unknown where it says nothing of use. */
export type Verdict = 'passed' | 'refused' | 'unknown';

/** In milliseconds: people wait for it. */
const timeLimit = 3000;

/** Of reCAPTCHA v3, from 0 for robots to 1 for people; the threshold with which its makers begin. */
const leastScore = 0.5;

/** The service's own troubles, and those of its key: nothing that is said of the token. */
const troubles = ['missing-input-secret', 'invalid-input-secret', 'internal-error'];

interface Judgement {
  success: boolean;
  score?: unknown;
  'error-codes'?: unknown;
}

/**
 * Asks the service, which judges each token once. What it says of the host where the token was solved is
 * left to the list of domains that it keeps itself: other sites sign by the API, with its widget on their pages.
 */
export async function askService(
  ctx: Context,
  service: CaptchaService,
  { token, ip }: { token: string; ip: string },
): Promise<Verdict> {
  const { name, secret, siteKey } = service;
  // An IPv4 address may come in the clothes of IPv6.
  const remoteip = ip.replace(/^::ffff:(?=\d+\.)/i, '');
  const form = new URLSearchParams({ secret, response: token, remoteip });
  // Else it takes tokens of other sites of the same account.
  if (name === 'hcaptcha') form.set('sitekey', siteKey);
  try {
    const { status, body } = await ctx.outgoing.ask(verifierOf(service), {
      headers: { 'content-type': formType },
      body: form.toString(),
      timeLimit,
    });
    // Other statuses, such as 429, say nothing of the token, whatever comes with them.
    const judgement = status === 200 || status === 400 ? readJudgement(body) : undefined;
    if (!judgement) return unknown(ctx, `It answered ${status}, and nothing of use.`);
    const { success, score, 'error-codes': codes } = judgement;
    if (success) return name === 'recaptcha' && isLow(score) ? 'refused' : 'passed';
    const trouble = troubles.find((one) => Array.isArray(codes) && codes.includes(one));
    return trouble ? unknown(ctx, `It answered ${trouble}.`) : 'refused';
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    return unknown(ctx, error.message);
  }
}

const isLow = (score: unknown) => typeof score === 'number' && score < leastScore;

/** Told once a minute, since every signature would tell the same. */
async function unknown({ estimates, log }: Context, reason: string): Promise<Verdict> {
  await estimates.read('captcha', 'unknown', async () =>
    log.warn({ reason }, 'the service of CAPTCHA does not judge tokens'),
  );
  return 'unknown';
}

function readJudgement(text: string): Judgement | undefined {
  try {
    const value = JSON.parse(text) as Partial<Judgement> | null;
    return typeof value?.success === 'boolean' ? (value as Judgement) : undefined;
  } catch {
    return undefined;
  }
}
