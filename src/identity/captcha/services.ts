import type { CaptchaService } from '../../config.ts';
import type { Context } from '../../platform/context.ts';
import { formType } from '../../platform/http/headers.ts';
import type { Language } from '../../platform/pages/language.ts';
import type { Sources } from '../../platform/pages/page.ts';
import { Unreachable } from '../../platform/safe-fetch.ts';

/** What a page needs to show the widget of a service. */
export interface Widget {
  script: string;
  /** Global object of the script. */
  api: string;
  /** Parameters of its `render`. Not used if `scores` is true: then there is nothing to render. */
  parameters: Record<string, unknown>;
  scores: boolean;
  /** For the page's Content-Security-Policy. */
  sources: Sources;
}

/** Properties of a service, from its documentation. */
interface ServiceTraits extends Pick<Widget, 'script' | 'api' | 'sources'> {
  /** Endpoint that verifies tokens. */
  verifyUrl: string;
  /** Query parameters of the script, such as the language. */
  query: (service: CaptchaService, language: Language) => Record<string, string>;
  /** Parameters of the widget beside the site key. */
  parameters?: (language: Language) => Record<string, unknown>;
}

const hcaptchaHosts = 'https://hcaptcha.com https://*.hcaptcha.com';
const turnstileHost = 'https://challenges.cloudflare.com';

const services: Record<CaptchaService['name'], ServiceTraits> = {
  // https://developers.google.com/recaptcha/docs/verify, /display, /v3 and /faq
  recaptcha: {
    verifyUrl: 'https://www.google.com/recaptcha/api/siteverify',
    script: 'https://www.google.com/recaptcha/api.js',
    query: ({ siteKey, isScored }, hl) => ({ render: isScored ? siteKey : 'explicit', hl }),
    api: 'grecaptcha',
    sources: {
      'script-src': 'https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/',
      'frame-src': 'https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/',
    },
  },
  // https://docs.hcaptcha.com/ and /configuration
  hcaptcha: {
    verifyUrl: 'https://api.hcaptcha.com/siteverify',
    script: 'https://js.hcaptcha.com/1/api.js',
    query: (_, hl) => ({ render: 'explicit', hl, recaptchacompat: 'off' }),
    api: 'hcaptcha',
    sources: {
      'script-src': hcaptchaHosts,
      'frame-src': hcaptchaHosts,
      'style-src': hcaptchaHosts,
      'connect-src': hcaptchaHosts,
    },
  },
  // https://developers.cloudflare.com/turnstile/get-started/ and /reference/content-security-policy/
  turnstile: {
    verifyUrl: `${turnstileHost}/turnstile/v0/siteverify`,
    script: `${turnstileHost}/turnstile/v0/api.js`,
    query: () => ({ render: 'explicit' }),
    api: 'turnstile',
    parameters: (language) => ({ language, 'response-field': false }),
    sources: { 'script-src': turnstileHost, 'frame-src': turnstileHost },
  },
};

export function widgetOf(service: CaptchaService, language: Language): Widget {
  const { script, query, api, parameters, sources } = services[service.name];
  return {
    script: `${script}?${new URLSearchParams(query(service, language)).toString()}`,
    api,
    parameters: { sitekey: service.siteKey, ...parameters?.(language) },
    scores: service.isScored,
    sources,
  };
}

/** People wait for the answer. */
const timeLimitMs = 3000;

/** Minimum score of reCAPTCHA v3, from 0 for bots to 1 for people: the default of its documentation. */
const minScore = 0.5;

/** Error codes that concern the service or its key, not the token. */
const serviceErrors = ['missing-input-secret', 'invalid-input-secret', 'internal-error'];

/** What a service says of a token; `unknown` if it says nothing. */
export type TokenStatus = 'valid' | 'invalid' | 'unknown';

interface SiteverifyResponse {
  success: boolean;
  score?: unknown;
  'error-codes'?: unknown;
}

/**
 * Asks the service, which accepts each token once. Does not check the hostname in its answer, since other
 * sites can show the widget and sign by the API; the service has its own list of domains.
 */
export async function verifyToken(
  ctx: Context,
  { name, secret, siteKey }: CaptchaService,
  { token, ip }: { token: string; ip: string },
): Promise<TokenStatus> {
  // Unwraps an IPv4-mapped IPv6 address.
  const remoteip = ip.replace(/^::ffff:(?=\d+\.)/i, '');
  const form = new URLSearchParams({ secret, response: token, remoteip });
  // Otherwise it accepts tokens of other sites of the same account.
  if (name === 'hcaptcha') form.set('sitekey', siteKey);
  try {
    const { status, body } = await ctx.httpClient.postAndRead(services[name].verifyUrl, {
      headers: { 'content-type': formType },
      body: form.toString(),
      timeoutMs: timeLimitMs,
    });
    // Other statuses, such as 429, say nothing of the token, whatever their body.
    const response = status === 200 || status === 400 ? readResponse(body) : undefined;
    if (!response) return await unknown(ctx, `It answered ${status}, and nothing of use.`);
    const { success, score, 'error-codes': codes } = response;
    if (success) return name === 'recaptcha' && isLow(score) ? 'invalid' : 'valid';
    const serviceError = serviceErrors.find((code) => Array.isArray(codes) && codes.includes(code));
    return serviceError ? await unknown(ctx, `It answered ${serviceError}.`) : 'invalid';
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    return unknown(ctx, error.message);
  }
}

const isLow = (score: unknown) => typeof score === 'number' && score < minScore;

/** Logs at most once a minute. */
async function unknown({ estimates, log }: Context, reason: string): Promise<TokenStatus> {
  await estimates.read('captcha', 'unknown', async () =>
    log.warn({ reason }, 'the CAPTCHA service gives no verdicts'),
  );
  return 'unknown';
}

function readResponse(text: string): SiteverifyResponse | undefined {
  try {
    const value = JSON.parse(text) as Partial<SiteverifyResponse> | null;
    return typeof value?.success === 'boolean' ? (value as SiteverifyResponse) : undefined;
  } catch {
    return undefined;
  }
}
