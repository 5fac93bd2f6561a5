import type { Config } from '../config.ts';

/** What is set in a way that a site in production should not have. */
export interface Advice {
  name: AdviceName;
  /** Names the setting, what follows from it, and the section of the docs. */
  text: string;
}
export type AdviceName = 'limits_off' | 'mail_in_files' | 'metrics_open';

type Judged = Pick<
  Config,
  'production' | 'rateLimits' | 'mail' | 'metricsToken' | 'metricsPort' | 'signaturePolicy'
>;

/** Returns what to change in the settings of a site in production; nothing elsewhere. */
export function settingAdvice(config: Judged): Advice[] {
  const { production, rateLimits, mail, metricsToken, metricsPort, signaturePolicy } = config;
  if (!production) return [];
  const isMetricsOpen = metricsToken === undefined && metricsPort === undefined;
  const unconfirmed =
    signaturePolicy === 'open' ? '' : ' Nobody can confirm an address, which signing needs here.';
  const advice: (Advice | false)[] = [
    !rateLimits && {
      name: 'limits_off',
      text: 'RATE_LIMITS=off: anybody can sign and log in as often as they like. Remove it (docs/operating.md, Production).',
    },
    !mail.smtp && {
      name: 'mail_in_files',
      text: `MAIL=files: mails are written into files and reach nobody.${unconfirmed} Set SMTP_URL (docs/mail.md).`,
    },
    isMetricsOpen && {
      name: 'metrics_open',
      text: 'METRICS_TOKEN is not set: everybody can read /metrics. Set it, or METRICS_PORT (docs/operating.md, Monitoring).',
    },
  ];
  return advice.filter((one) => one !== false);
}
