import { createHash } from 'node:crypto';
import type { Language } from '../../platform/pages/language.ts';
import type { SiteProfile } from '../../platform/site/profile.ts';

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

/** What a card shows of the site. */
export type CardSite = Pick<SiteProfile, 'name'>;

interface CardOptions {
  language: Language;
  site: CardSite;
  width?: CardWidth;
}

/** Returns the address of the picture by which a petition is shown where its link is shared. */
export const cardUrl = (
  pageUrl: string,
  petition: CardPetition,
  { language, site, width = cardSize.width as CardWidth }: CardOptions,
): string =>
  `${pageUrl}/card.jpg?lang=${language}${width === cardSize.width ? '' : `&width=${width}`}&v=${cardVersion(petition, site)}`;

/** Changes when cards are drawn in another way. */
const design = 2;

/** Changes with what the card shows, so that each address shows one picture, which caches may keep. */
export function cardVersion(petition: CardPetition, { name }: CardSite): string {
  const { title, image_url, signature_count, status } = petition;
  const count = shownCount(signature_count);
  const shown = JSON.stringify([design, name, title, image_url, status, count]);
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
  {
    pageUrl,
    petition,
    ...options
  }: Omit<CardOptions, 'width'> & { pageUrl: string; petition: CardPetition },
  { maxwidth, maxheight }: { maxwidth: number; maxheight: number },
): CardPicture {
  const width =
    cardWidths.findLast((one) => one <= maxwidth && cardHeight(one) <= maxheight) ?? cardWidths[0];
  return {
    url: cardUrl(pageUrl, petition, { ...options, width }),
    width,
    height: cardHeight(width),
  };
}
