import type { Config } from '../../config.ts';
import type { Context } from '../../platform/context.ts';
import { cookieName, cookies, type CookieId } from '../../platform/cookies.ts';
import { plainText, type Catalog } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';
import { retentionRules, type RetentionId } from '../../platform/retention.ts';
import { escapeMarks, ownTexts } from './own-catalog.ts';
import type { SitePageInput } from './schema.ts';

type OwnText = typeof ownTexts extends Catalog<infer Name> ? Name : never;
type Say = (name: OwnText, values?: Record<string, string>) => string;

/** Returns what the software says of privacy: what it keeps, derived from its settings and from what its jobs delete. */
export function privacyText(ctx: Context, language: Language): SitePageInput {
  const say: Say = (name, values) => plainText(ownTexts, language, name, values);
  const site = ctx.site.current.name;
  const parts = [
    say('privacy_lead', { site: escapeMarks(site) }),
    ...section(
      say('what_heading'),
      whatIsKept.map((name) => say(name)),
    ),
    ...section(say('long_heading'), retentionSentences(say, language), say('long_lead')),
    ...section(say('cookies_heading'), cookieSentences(say, language, ctx), say('cookies_lead')),
    ...section(say('who_heading'), recipients(say, ctx.config)),
    ...section(say('rights_heading'), rights(say, ctx.config)),
    `${say('rights_password')} ${link(ctx.config, say('rights_set_password'), '/forgot-password')}`,
  ];
  return { title: say('privacy_title'), body: parts.join('\n\n') };
}

const section = (heading: string, items: string[], lead?: string): string[] => [
  `# ${heading}`,
  ...(lead === undefined ? [] : [lead]),
  items.map((item) => `- ${item}`).join('\n'),
];

const whatIsKept = [
  'what_account',
  'what_signatures',
  'what_opinions',
  'what_origins',
  'what_texts',
  'what_sessions',
  'what_visits',
] as const;

const retentionSentences = (say: Say, language: Language): string[] =>
  (Object.keys(retentionRules) as RetentionId[]).map((id) => {
    const { amount, unit } = retentionRules[id];
    return say(`keeps_${id}`, { time: formatDuration(language, amount, unit) });
  });

const cookieSentences = (say: Say, language: Language, ctx: Context): string[] =>
  (Object.keys(cookies) as CookieId[]).map((id) =>
    say(`cookie_${id}`, {
      name: escapeMarks(cookieName(ctx, id)),
      time: durationOf(language, cookies[id].seconds),
    }),
  );

function recipients(say: Say, { mail, s3, captcha }: Config): string[] {
  const servers = [mail.smtp, mail.bulkSmtp].flatMap((smtp) => smtp?.url ?? []);
  const hosts = new Set(servers.map((url) => new URL(url).hostname));
  return [
    say('who_public'),
    say('who_operator'),
    ...[...hosts].map((host) => say('who_mail', { host: escapeMarks(host) })),
    ...(s3 ? [say('who_pictures', { host: escapeMarks(new URL(s3.endpoint).hostname) })] : []),
    ...(typeof captcha === 'object' ? [say('who_captcha', { service: captcha.name })] : []),
    say('who_applications'),
  ];
}

const rights = (say: Say, config: Config): string[] => [
  link(config, say('rights_export'), '/settings'),
  link(config, say('rights_change'), '/settings'),
  link(config, say('rights_withdraw'), '/signatures'),
  link(config, say('rights_erase'), '/settings/erase'),
];

const link = ({ baseUrl }: Config, label: string, path: string): string =>
  `[${label}](${baseUrl}${path})`;

/** “90 days” */
const formatDuration = (language: Language, amount: number, unit: string): string =>
  new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(amount);

/** In days, hours or minutes, whichever is the largest. */
function durationOf(language: Language, seconds: number): string {
  if (seconds >= 86_400) return formatDuration(language, seconds / 86_400, 'day');
  if (seconds >= 3600) return formatDuration(language, seconds / 3600, 'hour');
  return formatDuration(language, seconds / 60, 'minute');
}
