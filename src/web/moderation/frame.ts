import { attribute, html, type Content, type Html } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { speak, type Say } from '../../platform/pages/catalog.ts';
import { noIndex, sitePage, type OwnView } from '../site/site.ts';
import { moderationTexts, type ModerationText } from './texts.ts';

export const sayOf = ({ language }: OwnView): Say<ModerationText> =>
  speak(moderationTexts, language);

/** Parts of the dashboard; those that only administrators have are left out for moderators. */
const parts = [
  ['reports', '/moderation'],
  ['petitions', '/moderation/petitions'],
  ['warnings', '/moderation/warnings'],
  ['users', '/moderation/users', 'admin'],
  ['audit', '/moderation/audit', 'admin'],
  ['figures', '/moderation/figures', 'admin'],
  ['networks', '/moderation/networks', 'admin'],
] as const;
export type ModerationSection = (typeof parts)[number][0];

interface ModerationPage {
  part: ModerationSection;
  title: Content;
  main: Content;
  status?: number;
  query?: Record<string, string>;
}

/** A page of the moderators' dashboard. */
export function moderationPage(
  view: OwnView,
  { part, title, main, status, query }: ModerationPage,
): RawAnswer {
  const say = sayOf(view);
  const isAdmin = view.viewer.caller.role === 'admin';
  const tabs = parts
    .filter(([, , role]) => role !== 'admin' || isAdmin)
    .map(
      ([name, href]) =>
        html`<li><a href="${href}"${attribute('aria-current', name === part && 'page')}>${say(name)}</a></li>\n`,
    );
  return sitePage(view, {
    title: html`${title} · ${say('title')}`,
    width: 'wide',
    ...(status && { status }),
    head: noIndex,
    main: html`<nav aria-label="${say('title')}"><ul class="tabs">
${tabs}</ul></nav>
<h1 dir="auto">${title}</h1>
${query?.done !== undefined && html`<p class="notice" role="status">${say('decided')}</p>\n`}${main}`,
  });
}

/** Links that narrow a list down. */
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

/** Somebody's name, which may be of an account that is gone. */
export const nameOf = (view: OwnView, person: { display_name: string } | null): Html =>
  person ? html`<bdi>${person.display_name}</bdi>` : view.say('erased_user');
