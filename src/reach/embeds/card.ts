import type { Language } from '../../platform/pages/language.ts';

/** Size in pixels that link previews show uncropped. */
export const cardSize = { width: 1200, height: 630 };

/** Widths in which a card is offered. Few, since each one that is asked for is rendered and cached. */
export const cardWidths = [150, 300, 600, 1200] as const;
export type CardWidth = (typeof cardWidths)[number];

export interface CardPicture {
  url: string;
  width: CardWidth;
  height: number;
}

/** Returns the address of the picture by which a petition is shown where its link is shared. */
export const cardUrl = (pageUrl: string, language: Language, width: CardWidth = 1200): string =>
  `${pageUrl}/card.png?lang=${language}${width === cardSize.width ? '' : `&width=${width}`}`;

export const cardHeight = (width: number): number =>
  Math.round((width * cardSize.height) / cardSize.width);

/** Returns the largest picture of a card that fits, or the smallest if none does. */
export function fittingCard(
  { pageUrl, language }: { pageUrl: string; language: Language },
  { maxwidth, maxheight }: { maxwidth: number; maxheight: number },
): CardPicture {
  const width =
    cardWidths.findLast((one) => one <= maxwidth && cardHeight(one) <= maxheight) ?? cardWidths[0];
  return { url: cardUrl(pageUrl, language, width), width, height: cardHeight(width) };
}
