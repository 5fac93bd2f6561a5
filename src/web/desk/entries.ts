import { html, type Html } from '../../platform/html.ts';
import { formatAgo, speak } from '../../platform/pages/catalog.ts';
import type { DeskEntry } from '../../campaigns/petitions/petitions.ts';
import { statusBadge, type View } from '../site/site.ts';
import { placeOf } from './frame.ts';
import { deskTexts } from './texts.ts';

interface Listing {
  /** Of each petition; below the page's own unless said. */
  heading?: 'h2' | 'h3';
  /** What the page is about: said of no petition. */
  about?: 'organization';
}

/** Petitions on a desk, and where to go on with each. */
export const entryList = (view: View, entries: DeskEntry[], listing: Listing = {}): Html =>
  html`<ul class="list">\n${entries.map((one) => listItem(view, one, listing))}</ul>`;

function listItem(view: View, entry: DeskEntry, { heading = 'h2', about }: Listing): Html {
  const { language, ctx } = view;
  const say = speak(deskTexts, language);
  const { petition, own } = entry;
  const { id, status, title, signature_count: count, published_at: published } = petition;
  const when = formatAgo(language, new Date(published ?? petition.created_at), ctx.now());
  const draft = status === 'draft';
  return html`<li>
<${heading}><a dir="auto" href="${draft ? `/start/${id}` : placeOf(petition)}">${title}</a></${heading}>
<p class="row small quiet">${statusBadge(view, status)} ${
    !draft && html`<span class="number">${view.say('signatures', { count })}</span>`
  } <span>${say(published ? 'published' : 'begun', { when })}</span></p>
${originOf(view, entry, about)}${own && html`<p class="small">${say(`next_${status}`)}</p>\n`}<p class="row small">${
    draft && html`<a href="/start/${id}">${say('go_on')}</a>`
  } <a href="${placeOf(petition, own ? 'overview' : 'figures')}">${say(own ? 'manage' : 'figures')}<span class="visually-hidden" dir="auto"> ${title}</span></a></p>
</li>\n`;
}

/** For whom it is, and whose. */
function originOf(
  view: View,
  { petition: { creator }, organization, own }: DeskEntry,
  about: Listing['about'],
): Html | false {
  const say = speak(deskTexts, view.language);
  const forWhom =
    organization &&
    about !== 'organization' &&
    say('for_organization', {
      name: html`<a href="/o/${organization.slug}"><bdi>${organization.name}</bdi></a>`,
    });
  const byWhom =
    !own &&
    (creator
      ? say('started_by', { name: html`<bdi>${creator.display_name}</bdi>` })
      : say('started_by_erased'));
  if (!forWhom && !byWhom) return false;
  return html`<p class="small quiet">${forWhom}${forWhom && byWhom && ' · '}${byWhom}</p>\n`;
}
