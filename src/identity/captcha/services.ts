import type { CaptchaService } from '../../config.ts';
import type { Language } from '../../platform/pages/language.ts';
import type { Sources } from '../../platform/pages/page.ts';

/** Properties of a service, from its documentation. */
interface ServiceTraits {
  /** Endpoint that verifies tokens. */
  verifier: string;
  /** Script that provides the widget. */
  script: string;
  /** Query parameters of the script, such as the language. */
  query: (service: CaptchaService, language: Language) => Record<string, string>;
  /** Global object of the script. */
  api: string;
  /** Parameters of the widget. */
  parameters: (service: CaptchaService, language: Language) => Record<string, unknown>;
  /** Content-Security-Policy sources of the widget. */
  sources: Sources;
}

const hcaptchaHosts = 'https://hcaptcha.com https://*.hcaptcha.com';
const turnstileHost = 'https://challenges.cloudflare.com';

const services: Record<CaptchaService['name'], ServiceTraits> = {
  // https://developers.google.com/recaptcha/docs/verify, /display, /v3 and /faq
  recaptcha: {
    verifier: 'https://www.google.com/recaptcha/api/siteverify',
    script: 'https://www.google.com/recaptcha/api.js',
    query: ({ siteKey, isScored: scores }, hl) => ({ render: scores ? siteKey : 'explicit', hl }),
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
  /** Global object of the script. */
  api: string;
  /** Parameters of its `render`. Not used if `scores` is true: then there is nothing to render. */
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
    scores: service.isScored,
    sources,
  };
}
