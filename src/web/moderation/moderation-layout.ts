import { Type, type Static } from 'typebox';
import { attribute, html, type Content, type Html } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { Uuid } from '../../platform/http/schema.ts';
import type { Asset } from '../../platform/pages/assets.ts';
import { speak, type Say } from '../../platform/pages/catalog.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import { noIndex, sitePage, tabs, type OwnView } from '../site/site.ts';
import { moderationTexts, type ModerationText } from './texts.ts';

export const sayOf = ({ language }: OwnView): Say<ModerationText> =>
  speak(moderationTexts, language);

/** Sections; those of administrators are left out for moderators. */
const sections = [
  ['reports', '/moderation'],
  ['petitions', '/moderation/petitions'],
  ['complaints', '/moderation/complaints'],
  ['blocks', '/moderation/blocks'],
  ['warnings', '/moderation/warnings'],
  ['users', '/moderation/users', 'admin'],
  ['audit', '/moderation/audit', 'admin'],
  ['figures', '/moderation/figures', 'admin'],
  ['networks', '/moderation/networks', 'admin'],
] as const;
export type ModerationSection = (typeof sections)[number][0];

interface ModerationPage {
  section: ModerationSection;
  title: Content;
  /** Of the title, where it is a text of people. */
  titleLanguage?: string | null;
  main: Content;
  query?: Record<string, string>;
  scripts?: Asset[];
}

/** A page with the tabs of moderators. */
export function moderationPage(
  view: OwnView,
  { section, title, titleLanguage = null, main, query, scripts }: ModerationPage,
): Promise<RawAnswer> {
  const say = sayOf(view);
  const isAdmin = view.viewer.caller.role === 'admin';
  const entries = sections
    .filter(([, , role]) => role !== 'admin' || isAdmin)
    .map(([name, href]) => ({ href, label: say(name), isCurrent: name === section }));
  return sitePage(view, {
    title: html`${title} · ${say('title')}`,
    width: 'wide',
    ...(scripts && { scripts }),
    head: noIndex,
    main: html`<nav aria-label="${say('title')}">${tabs(entries)}</nav>
<h1${languageAttributes(titleLanguage, view.language)}>${title}</h1>
${query?.done !== undefined && html`<p class="notice" role="status">${say('decided')}</p>\n`}${main}`,
  });
}

/** Links that filter a list. */
export const filters = (
  current: string,
  choices: readonly { value: string; label: Content; href: string }[],
): Html =>
  html`<ul class="tabs small">
${choices.map(
  ({ value, label, href }) =>
    html`<li><a href="${href}"${attribute('aria-current', value === current && 'true')}>${label}</a></li>\n`,
)}</ul>
`;

/** The name of a user whose account may have been erased. */
export const nameOf = (view: OwnView, person: { display_name: string } | null): Html =>
  person ? html`<bdi>${person.display_name}</bdi>` : view.say('erased_user');

/** The id of a route's path. */
export const IdRef = Type.Object({ id: Uuid });
export type IdRef = Static<typeof IdRef>;

/** The address of a page with the report that the action was done. */
export const done = (path: string): string => `${path}?done=decided`;
