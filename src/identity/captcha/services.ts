import type { CaptchaService } from '../../config.ts';
import type { Language } from '../../platform/pages/language.ts';
import type { Sources } from '../../platform/pages/page.ts';

/** What is known of a service from its documentation. */
interface Traits {
  /** Where it judges tokens. */
  verifier: string;
  /** Its script, which brings its widget. */
  script: string;
  /** What the script says in which language it speaks, and the like. */
  query: (service: CaptchaService, language: Language) => Record<string, string>;
  /** The object of that script. */
  api: string;
  /** What the widget is told. */
  parameters: (service: CaptchaService, language: Language) => Record<string, unknown>;
  /** What the widget loads. */
  sources: Sources;
}

const hcaptchaHosts = 'https://hcaptcha.com https://*.hcaptcha.com';
const turnstileHost = 'https://challenges.cloudflare.com';

const services: Record<CaptchaService['name'], Traits> = {
  // https://developers.google.com/recaptcha/docs/verify, /display, /v3 and /faq
  recaptcha: {
    verifier: 'https://www.google.com/recaptcha/api/siteverify',
    script: 'https://www.google.com/recaptcha/api.js',
    query: ({ siteKey, scores }, hl) => ({ render: scores ? siteKey : 'explicit', hl }),
    api: 'grecaptcha',
    parameters: ({ siteKey: sitekey }) => ({ sitekey }),
    sources: {
      'script-src': 'https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/',
      'frame-src': 'https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/',
    },
  },
  // https://docs.hcaptcha.com/ and /configuration
  hcaptcha: {
    verifier: 'https://api.hcaptcha.com/siteverify',
    script: 'https://js.hcaptcha.com/1/api.js',
    query: (_, hl) => ({ render: 'explicit', hl, recaptchacompat: 'off' }),
    api: 'hcaptcha',
    parameters: ({ siteKey: sitekey }) => ({ sitekey }),
    sources: {
      'script-src': hcaptchaHosts,
      'frame-src': hcaptchaHosts,
      'style-src': hcaptchaHosts,
      'connect-src': hcaptchaHosts,
    },
  },
  // https://developers.cloudflare.com/turnstile/get-started/ and /reference/content-security-policy/
  turnstile: {
    verifier: `${turnstileHost}/turnstile/v0/siteverify`,
    script: `${turnstileHost}/turnstile/v0/api.js`,
    query: () => ({ render: 'explicit' }),
    api: 'turnstile',
    parameters: ({ siteKey: sitekey }, language) => ({
      sitekey,
      language,
      'response-field': false,
    }),
    sources: { 'script-src': turnstileHost, 'frame-src': turnstileHost },
  },
};

export const verifierOf = ({ name }: CaptchaService): string => services[name].verifier;

/** What a page needs to show the widget of a service. */
export interface Widget {
  script: string;
  /** The object that the script brings. */
  api: string;
  /** What its `render` is told; of the service that gives scores, there is nothing to render. */
  parameters: Record<string, unknown>;
  scores: boolean;
  /** For the page's Content-Security-Policy. */
  sources: Sources;
}

export function widgetOf(service: CaptchaService, language: Language): Widget {
  const { script, query, api, parameters, sources } = services[service.name];
  return {
    script: `${script}?${new URLSearchParams(query(service, language)).toString()}`,
    api,
    parameters: parameters(service, language),
    scores: service.scores,
    sources,
  };
}
