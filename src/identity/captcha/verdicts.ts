import type { CaptchaService } from '../../config.ts';
import type { Context } from '../../platform/context.ts';
import { formType } from '../../platform/http/headers.ts';
import { Unreachable } from '../../platform/safe-fetch.ts';
import { verifierOf } from './services.ts';

/** Verdict of a service on a token; `unknown` if it gives none. */
export type Verdict = 'passed' | 'refused' | 'unknown';

/** People wait for the verdict. */
const timeLimitMs = 3000;

/** Minimum score of reCAPTCHA v3, from 0 for bots to 1 for people: the default of its documentation. */
const minScore = 0.5;

/** Error codes that concern the service or its key, not the token. */
const serviceErrors = ['missing-input-secret', 'invalid-input-secret', 'internal-error'];

interface Judgement {
  success: boolean;
  score?: unknown;
  'error-codes'?: unknown;
}

/**
 * Asks the service, which accepts each token once. Does not check the hostname in its answer, since other
 * sites can show the widget and sign by the API; the service has its own list of domains.
 */
export async function askService(
  ctx: Context,
  service: CaptchaService,
  { token, ip }: { token: string; ip: string },
): Promise<Verdict> {
  const { name, secret, siteKey } = service;
  // Unwraps an IPv4-mapped IPv6 address.
  const remoteip = ip.replace(/^::ffff:(?=\d+\.)/i, '');
  const form = new URLSearchParams({ secret, response: token, remoteip });
  // Otherwise it accepts tokens of other sites of the same account.
  if (name === 'hcaptcha') form.set('sitekey', siteKey);
  try {
    const { status, body } = await ctx.httpClient.postAndRead(verifierOf(service), {
      headers: { 'content-type': formType },
      body: form.toString(),
      timeoutMs: timeLimitMs,
    });
    // Other statuses, such as 429, are no verdict, whatever their body.
    const judgement = status === 200 || status === 400 ? readJudgement(body) : undefined;
    if (!judgement) return await unknown(ctx, `It answered ${status}, and nothing of use.`);
    const { success, score, 'error-codes': codes } = judgement;
    if (success) return name === 'recaptcha' && isLow(score) ? 'refused' : 'passed';
    const serviceError = serviceErrors.find((code) => Array.isArray(codes) && codes.includes(code));
    return serviceError ? await unknown(ctx, `It answered ${serviceError}.`) : 'refused';
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    return unknown(ctx, error.message);
  }
}

const isLow = (score: unknown) => typeof score === 'number' && score < minScore;

/** Logs at most once a minute. */
async function unknown({ estimates, log }: Context, reason: string): Promise<Verdict> {
  await estimates.read('captcha', 'unknown', async () =>
    log.warn({ reason }, 'the CAPTCHA service gives no verdicts'),
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
