import type { Context } from '../../platform/context.ts';
import { html, type Html } from '../../platform/html.ts';
import { plainStartOf } from '../../platform/markdown/markdown.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import { listResponses } from '../../campaigns/decision-makers/decision-makers.ts';
import { showPetition } from '../../campaigns/petitions/read.ts';
import type { PetitionSummary } from '../../campaigns/petitions/schema.ts';
import { categoryPattern, fullWidth, responsiveImage, type View } from '../site/site.ts';
import { homeTexts } from './texts.ts';

/** A petition that was won, and what was said about it. */
export interface Victory {
  petition: PetitionSummary;
  /** What the decision maker answered, else what the creator wrote. */
  quote: { text: string; by: string } | undefined;
}

/** The victory with the most signatures of these, with its answer. */
export async function latestVictory(
  ctx: Context,
  victories: PetitionSummary[],
): Promise<Victory | undefined> {
  const [petition] = victories.toSorted((a, b) => b.signature_count - a.signature_count);
  return petition && { petition, quote: await quoteOf(ctx, petition) };
}

async function quoteOf(ctx: Context, { id, creator }: PetitionSummary): Promise<Victory['quote']> {
  const { items: responses } = await listResponses(ctx, null, id, { limit: 5 });
  const response = responses.find(({ state }) => state === 'published');
  if (response) return { text: response.body, by: response.decision_maker.name };
  const { victory_message: message } = await showPetition(ctx, null, id, undefined);
  return message && creator ? { text: message, by: creator.display_name } : undefined;
}

/** A victory as the start page shows it. */
export function victoryFeature(view: View, { petition, quote }: Victory): Html {
  const { slug, title, image_url: image, category, signature_count: count } = petition;
  const layout = {
    sizes: `(min-width: 70rem) 32rem, (min-width: 56rem) 46vw, ${fullWidth}`,
    size: { width: 640, height: 320 },
    loading: 'eager',
  } as const;
  const pattern = categoryPattern(category);
  return html`<article class="won">${image ? responsiveImage(view, image, layout, pattern) : pattern}
<div><p class="small quiet">${speak(homeTexts, view.language)('won')}</p>
<h2${languageAttributes(petition.language, view.language)}><a href="/p/${slug}">${title}</a></h2>
${quote && html`<blockquote><p class="clamp" dir="auto">${plainStartOf(quote.text, 300)}</p>\n<p class="small quiet"><bdi>${quote.by}</bdi></p></blockquote>\n`}<p class="small quiet number">${view.say('signatures', { count })}</p></div>
</article>\n`;
}
