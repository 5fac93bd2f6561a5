import { attribute, html, type Html } from '../../platform/html.ts';
import { formatAgo, speak } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';
import { nextMilestone } from '../../campaigns/signatures/signatures.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import type { View } from '../site/site.ts';
import { isOpen } from './head.ts';
import { logLink } from './petition-log.ts';
import { petitionTexts } from './texts.ts';

/** The one goal that a petition shows: its creator's until that is reached, then the next milestone. */
export const aimOf = (count: number, goal: number | null): number =>
  goal !== null && count < goal ? goal : nextMilestone(count, null);

/** Goals that petition.js can show before the page is loaded again. */
const maxAims = 4;

/** The current goal and those after it. */
function nextAims(count: number, goal: number | null): number[] {
  const aims = [aimOf(count, goal)];
  while (aims.length < maxAims) aims.push(aimOf(aims.at(-1)!, goal));
  return aims;
}

/** Texts that petition.js fills in. */
const liveTexts = ['count', 'to_next', 'reached'] as const;

interface CounterOptions {
  petition: Petition;
  code: string | undefined;
  isInLog: boolean;
}

/** The count, how far it is to the goal, and a bar. petition.js keeps them up to date. */
export function counter(view: View, { petition, code, isInLog }: CounterOptions): Html {
  const { language } = view;
  const { id, signature_count: count, signature_goal: goal } = petition;
  const say = speak(petitionTexts, language);
  const messages = petitionTexts[language]!;
  const texts = Object.fromEntries(liveTexts.map((name) => [name, messages[name]]));
  const eventsPath = (isOpen(petition) || code !== undefined) && `/v1/petitions/${id}/events`;
  return html`<div class="counter" data-counter${attribute('data-live', eventsPath)} data-texts="${JSON.stringify(texts)}" data-aims="${JSON.stringify(nextAims(count, goal))}">
<p class="number count"><strong data-count>${say('count', { count })}</strong> ${distance(view, petition)}</p>
${bar(view, petition)}${isInLog && logLink(view, petition, code)}${closingLine(view, petition)}<p class="reached" role="status" data-reached></p><p class="notice" role="status" data-changed hidden>${say('changed')}</p>
</div>
`;
}

/** When the petition closes by itself, and how long that is from now. Nothing once it has ended. */
function closingLine(view: View, { status, closes_at: closesAt }: Petition): Html | false {
  if (closesAt === null || status !== 'active') return false;
  const { language, ctx } = view;
  const at = new Date(closesAt);
  const date = html`<time datetime="${at.toISOString()}">${dateInWords(language, at)}</time>`;
  const left = formatAgo(language, at, ctx.now());
  return html`<p class="small">${speak(petitionTexts, language)('closes', { date, left })}</p>\n`;
}

/** A time in UTC, with the name of the month. */
const dateInWords = (language: Language, at: Date): string =>
  `${at.toLocaleString(language, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })} UTC`;

/** How many signatures are missing; for a petition that has ended, what its goal was. */
export function distance(
  view: View,
  { status, signature_count: count, signature_goal: goal }: Petition,
): Html | false {
  if (status !== 'active')
    return goal !== null && html`<span class="quiet">${view.say('of_goal', { goal })}</span>`;
  const milestone = aimOf(count, goal);
  const text = speak(petitionTexts, view.language)('to_next', {
    count: milestone - count,
    milestone,
  });
  return html`<span class="quiet" data-next>${text}</span>`;
}

/** The progress towards the same goal. */
export function bar(
  { say }: View,
  { status, signature_count: count, signature_goal: goal }: Petition,
): Html | false {
  const max = status === 'active' ? aimOf(count, goal) : goal;
  return (
    max !== null &&
    html`<progress class="progress" max="${max}" value="${Math.min(count, max)}" aria-label="${say('towards_goal')}"></progress>\n`
  );
}
