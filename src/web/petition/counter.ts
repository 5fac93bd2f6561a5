import { attribute, html, type Html } from '../../platform/html.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { nextMilestone } from '../../campaigns/signatures/signatures.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import type { View } from '../site/site.ts';
import { isOpen } from './head.ts';
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

/** The count, how far it is to the goal, and a bar. petition.js keeps them up to date. */
export function counter(view: View, petition: Petition, code: string | undefined): Html {
  const { language } = view;
  const { id, signature_count: count, signature_goal: goal } = petition;
  const say = speak(petitionTexts, language);
  const messages = petitionTexts[language]!;
  const texts = Object.fromEntries(liveTexts.map((name) => [name, messages[name]]));
  const eventsPath = (isOpen(petition) || code !== undefined) && `/v1/petitions/${id}/events`;
  return html`<div class="counter" data-counter${attribute('data-live', eventsPath)} data-texts="${JSON.stringify(texts)}" data-aims="${JSON.stringify(nextAims(count, goal))}">
<p class="number count"><strong data-count>${say('count', { count })}</strong> ${distance(view, petition)}</p>
${bar(view, petition)}<p class="reached" role="status" data-reached></p><p class="notice" role="status" data-changed hidden>${say('changed')}</p>
</div>
`;
}

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
