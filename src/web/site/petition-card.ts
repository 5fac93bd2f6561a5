import { html, type Html } from '../../platform/html.ts';
import type { Page } from '../../platform/cursor.ts';
import { plainStartOf } from '../../platform/markdown/markdown.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import type { PetitionSummary } from '../../campaigns/petitions/schema.ts';
import { avatar, listOf, progressOf, statusBadge } from './parts.ts';
import { categoryPattern } from './pattern.ts';
import { fullWidth, responsiveImage, type Layout } from './responsive-image.ts';
import type { View } from './view.ts';

/** Cards that a window shows at first. */
const firstCards = 3;

/** Where a card stands. */
interface CardPlace {
  /** In its list; on phones the first card is large. */
  index: number;
  /** Whether the list begins below what a window shows at first. */
  isBelow?: boolean;
}

/** A petition in a list of cards, led by its picture. */
export function petitionCard(
  view: View,
  petition: PetitionSummary,
  { index, isBelow = false }: CardPlace,
): Html {
  const { slug, title, image_url: image, creator, status, category } = petition;
  const narrow = index === 0 ? fullWidth : '7rem';
  const layout: Layout = {
    sizes: `(min-width: 62rem) 22rem, (min-width: 42rem) 50vw, ${narrow}`,
    size: { width: 640, height: 360 },
    loading: index < firstCards && !isBelow ? 'eager' : 'lazy',
  };
  const pattern = categoryPattern(category);
  const attributes = languageAttributes(petition.language, view.language);
  return html`<li class="card">
${image ? responsiveImage(view, image, layout, pattern) : pattern}
<div class="body">
<h3${attributes}><a href="/p/${slug}">${title}</a></h3>
<p class="small clamp quiet"${attributes}>${plainStartOf(petition.description, 300)}</p>
<div class="foot"><p class="small row by">${creator && avatar(view, creator, 'small')}<bdi>${creator?.display_name ?? view.say('erased_user')}</bdi>${status !== 'active' && statusBadge(view, status)}${petition.promoted && html` <span class="badge">${view.say('promoted')}</span>`}</p>
${progressOf(view, petition)}</div>
</div></li>\n`;
}

/** A page of petitions as cards; `empty` is shown instead of none. */
export const petitionList = (view: View, page: Page<PetitionSummary>, empty: Html): Html =>
  listOf(view, page, {
    className: 'cards',
    item: (petition, index) => petitionCard(view, petition, { index }),
    empty: html`<p>${empty}</p>`,
  });
