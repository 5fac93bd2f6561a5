import { html, type Content, type Html } from '../../platform/html.ts';
import { pathOf } from '../../platform/pages/path.ts';
import { speak } from '../../platform/pages/catalog.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { listOwnShares } from '../../campaigns/shares/shares.ts';
import { hasSigned } from '../../campaigns/signatures/signatures.ts';
import { panel, type OwnView } from '../site/site.ts';
import { petitionPath } from './dashboard-layout.ts';
import { checklistTexts } from './texts.ts';

/** Places in which a petition should be shared at least, and people who should come by mail. */
const wantedPlaces = 3;
const wantedGuests = 5;

interface Item {
  isDone: boolean;
  text: Content;
  /** Where it is done. */
  href: string;
}

/** What helps a petition in its first days, each ticked by the data; false once all of it is done. */
export async function checklist(view: OwnView, petition: Petition): Promise<Html | false> {
  const items = await itemsOf(view, petition);
  if (items.every(({ isDone }) => isDone)) return false;
  const say = speak(checklistTexts, view.language);
  return panel(
    say('title'),
    html`<p class="hint">${say('done_of', { done: items.filter(({ isDone }) => isDone).length, all: items.length })}</p>
<ul class="checklist">
${items.map(({ isDone, text, href }) =>
  isDone
    ? html`<li class="done">${text}<span class="visually-hidden"> – ${say('done')}</span></li>\n`
    : html`<li><a href="${href}">${text}</a></li>\n`,
)}</ul>`,
  );
}

async function itemsOf({ ctx, viewer, language }: OwnView, petition: Petition): Promise<Item[]> {
  const say = speak(checklistTexts, language);
  const { id, slug, image_url: image, decision_makers: makers } = petition;
  const [signed, shares] = await Promise.all([
    hasSigned(ctx, id, viewer.user.id),
    listOwnShares(ctx, viewer.caller, id, undefined),
  ]);
  const page = pathOf`/p/${slug}`;
  const places = shares.items.length;
  const guests = shares.items.find(({ channel }) => channel === 'email')?.visits ?? 0;
  return [
    { isDone: signed, text: say('sign'), href: `${page}#sign` },
    {
      isDone: places >= wantedPlaces,
      text: say('share', { places: Math.min(places, wantedPlaces), wanted: wantedPlaces }),
      href: `${page}#share`,
    },
    {
      isDone: image !== null,
      text: say('picture'),
      href: `${petitionPath(petition, 'edit')}#picture`,
    },
    { isDone: makers.length > 0, text: say('makers'), href: petitionPath(petition, 'makers') },
    {
      isDone: guests >= wantedGuests,
      text: say('invite', { guests: Math.min(guests, wantedGuests), wanted: wantedGuests }),
      href: `${page}/share/email`,
    },
  ];
}
