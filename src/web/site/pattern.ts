import { html, type Html } from '../../platform/html.ts';
import type { Category } from '../../campaigns/categories/schema.ts';

/** How many shapes and hues site.css has for patterns. The two have no common divisor, so that all pairs occur. */
const [shapes, hues] = [5, 12];

/** A quiet pattern in the place of a picture that a petition does not have, by its category. Drawn by CSS. */
export function categoryPattern(category: Pick<Category, 'slug'> | null): Html {
  const hash = category ? hashOf(category.slug) : 0;
  return html`<span class="pattern shape-${hash % shapes} hue-${hash % hues}" aria-hidden="true"></span>`;
}

/** FNV-1a, 32 bits (draft-eastlake-fnv). */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
