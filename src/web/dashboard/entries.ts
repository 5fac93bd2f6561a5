import { html, type Html } from '../../platform/html.ts';
import { formatAgo, speak } from '../../platform/pages/catalog.ts';
import type { ManagedPetitionEntry } from '../../campaigns/petitions/manage.ts';
import { statusBadge, type View } from '../site/site.ts';
import { petitionPath } from './frame.ts';
import { dashboardTexts } from './texts.ts';

interface Listing {
  /** Of each petition. */
  heading?: 'h2' | 'h3';
  /** The page is about one organization, so that entries do not name it. */
  about?: 'organization';
}

/** A petition in a list, with links to the next step. */
export function entryItem(
  view: View,
  entry: ManagedPetitionEntry,
  { heading = 'h2', about }: Listing = {},
): Html {
  const { language, ctx } = view;
  const say = speak(dashboardTexts, language);
  const { petition, isOwn: own } = entry;
  const { id, status, title, signature_count: count, published_at: published } = petition;
  const when = formatAgo(language, new Date(published ?? petition.created_at), ctx.now());
  const isDraft = status === 'draft';
  return html`<li>
<${heading}><a dir="auto" href="${isDraft ? `/start/${id}` : petitionPath(petition)}">${title}</a></${heading}>
<p class="row small quiet">${statusBadge(view, status)} ${
    !isDraft && html`<span class="number">${view.say('signatures', { count })}</span>`
  } <span>${say(published ? 'published' : 'begun', { when })}</span></p>
${originOf(view, entry, about)}${own && html`<p class="small">${say(`next_${status}`)}</p>\n`}<p class="row small">${
    isDraft && html`<a href="/start/${id}">${say('go_on')}</a>`
  } <a href="${petitionPath(petition, own ? 'overview' : 'figures')}">${say(own ? 'manage' : 'figures')}<span class="visually-hidden" dir="auto"> ${title}</span></a></p>
</li>\n`;
}

/** The organization and the creator of a petition. */
function originOf(
  view: View,
  { petition: { creator }, organization, isOwn: own }: ManagedPetitionEntry,
  about: Listing['about'],
): Html | false {
  const say = speak(dashboardTexts, view.language);
  const organizationText =
    organization &&
    about !== 'organization' &&
    say('for_organization', {
      name: html`<a href="/o/${organization.slug}"><bdi>${organization.name}</bdi></a>`,
    });
  const creatorText =
    !own &&
    (creator
      ? say('started_by', { name: html`<bdi>${creator.display_name}</bdi>` })
      : say('started_by_erased'));
  if (!organizationText && !creatorText) return false;
  return html`<p class="small quiet">${organizationText}${organizationText && creatorText && ' · '}${creatorText}</p>\n`;
}
