import { createHash } from 'node:crypto';
import type { Language } from '../../platform/pages/language.ts';

/** Size in pixels that link previews show uncropped. */
export const cardSize = { width: 1200, height: 630 };

/** Widths in which a card is offered. Few, since each one that is asked for is rendered and cached. */
export const cardWidths = [150, 300, 600, 1200] as const;
export type CardWidth = (typeof cardWidths)[number];

/** What a card shows of a petition. */
export interface CardPetition {
  id: string;
  title: string;
  /** The picture as pages show it: of another host, our copy of it. */
  image_url: string | null;
  signature_count: number;
  status: string;
}

interface CardPicture {
  url: string;
  width: CardWidth;
  height: number;
}

interface CardOptions {
  language: Language;
  width?: CardWidth;
}

/** Returns the address of the picture by which a petition is shown where its link is shared. */
export const cardUrl = (
  pageUrl: string,
  petition: CardPetition,
  { language, width = cardSize.width as CardWidth }: CardOptions,
): string =>
  `${pageUrl}/card.jpg?lang=${language}${width === cardSize.width ? '' : `&width=${width}`}&v=${cardVersion(petition)}`;

/** Changes when cards are drawn in another way. */
const design = 1;

/** Changes with what the card shows, so that each address shows one picture, which caches may keep. */
export function cardVersion({ title, image_url, signature_count, status }: CardPetition): string {
  const shown = JSON.stringify([design, title, image_url, status, shownCount(signature_count)]);
  return createHash('sha256').update(shown).digest('base64url').slice(0, 10);
}

/** The count as cards show it: rounded down to two significant digits, so that a growing count needs few cards. */
export function shownCount(count: number): { count: number; isExact: boolean } {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, count))) - 1);
  const rounded = Math.floor(count / unit) * unit;
  return { count: rounded, isExact: rounded === count };
}

export const cardHeight = (width: number): number =>
  Math.round((width * cardSize.height) / cardSize.width);

/** Returns the largest picture of a card that fits, or the smallest if none does. */
export function fittingCard(
  { pageUrl, petition, language }: { pageUrl: string; petition: CardPetition; language: Language },
  { maxwidth, maxheight }: { maxwidth: number; maxheight: number },
): CardPicture {
  const width =
    cardWidths.findLast((one) => one <= maxwidth && cardHeight(one) <= maxheight) ?? cardWidths[0];
  return {
    url: cardUrl(pageUrl, petition, { language, width }),
    width,
    height: cardHeight(width),
  };
}
