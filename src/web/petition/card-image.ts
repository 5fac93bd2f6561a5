import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';
import type { OverlayOptions } from 'sharp';
import { html, type Html } from '../../platform/html.ts';
import { formatNumber, speak } from '../../platform/pages/catalog.ts';
import { directionOf, type Language } from '../../platform/pages/language.ts';
import { siteName } from '../../platform/pages/page.ts';
import { loadSharp } from '../../platform/sharp.ts';
import type { PetitionRow } from '../../campaigns/petitions/read.ts';
import { cardHeight, cardSize, type CardWidth } from '../../reach/embeds/embeds.ts';
import { petitionTexts } from './texts.ts';

const margin = 80;
const innerWidth = cardSize.width - 2 * margin;
const colors = {
  background: '#fbfaf7',
  text: '#1c211f',
  quiet: '#57605c',
  line: '#dcd9d0',
  accent: '#0b6b4d',
};

type CardPetition = Pick<PetitionRow, 'title' | 'signature_count' | 'signature_goal' | 'status'>;

interface Card {
  etag: string;
  png: Buffer;
}

/** Rendered images, about 30 KB each. */
const cards = new LRUCache<string, Promise<Card>>({ max: 200 });
/** Images are rendered one at a time, outside the main thread, to leave CPU time for requests. */
let rendering: Promise<unknown> = Promise.resolve();

/** The image for link previews of a petition, with the count rounded down. */
export function cardOf(
  petition: CardPetition,
  { language, width }: { language: Language; width: CardWidth },
): Promise<Card> {
  const count = roundedDown(petition.signature_count);
  const key = JSON.stringify([
    petition.title,
    count,
    petition.signature_goal,
    petition.status,
    language,
    width,
  ]);
  const cached = cards.get(key);
  if (cached) return cached;
  const card = rendering.then(async () => {
    const full = await render({ ...petition, signature_count: count }, language);
    const png = width === cardSize.width ? full : await shrink(full, width);
    return { png, etag: `"${createHash('sha256').update(key).digest('base64url').slice(0, 22)}"` };
  });
  rendering = card.catch(() => cards.delete(key));
  cards.set(key, card);
  return card;
}

async function shrink(png: Buffer, width: CardWidth): Promise<Buffer> {
  const sharp = await loadSharp();
  return sharp(png)
    .resize({ width, height: cardHeight(width), fit: 'fill' })
    .png({ palette: true })
    .toBuffer();
}

/** Rounds down to two significant digits, so that a growing count needs few images. */
export function roundedDown(count: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, count))) - 1);
  return Math.floor(count / unit) * unit;
}

async function render(
  { title, signature_count: count, signature_goal: goal, status }: CardPetition,
  language: Language,
): Promise<Buffer> {
  const say = speak(petitionTexts, language);
  const isRtl = directionOf(language) === 'rtl';
  const victory = status === 'victory' && html`${say('victory')} `;
  const ofGoal = goal !== null && ` / ${formatNumber(language, goal)}`;
  const countText = html`<span foreground="${colors.accent}" weight="bold">${victory}${say('count', { count })}</span><span foreground="${colors.quiet}">${ofGoal}</span>`;
  const layers = [
    { input: box(cardSize.width, 16, colors.accent), left: 0, top: 0 },
    place(await renderText(inColor(siteName, colors.quiet), 'sans 30'), { top: 64, isRtl }),
    place(await renderTitle(title), { top: 136, isRtl: startsRightToLeft.test(title) }),
    place(await renderText(countText, 'sans 40'), { top: 462, isRtl }),
  ];
  if (goal !== null) {
    const filledWidth = Math.max(1, Math.round(innerWidth * Math.min(1, count / goal)));
    const left = isRtl ? margin + innerWidth - filledWidth : margin;
    layers.push({ input: box(innerWidth, 24, colors.line), left: margin, top: 540 });
    layers.push({ input: box(filledWidth, 24, colors.accent), left, top: 540 });
  }
  const sharp = await loadSharp();
  return sharp({ create: { ...cardSize, channels: 4, background: colors.background } })
    .composite(layers)
    .png({ palette: true })
    .toBuffer();
}

interface RenderedText {
  data: Buffer;
  info: { width: number; height: number };
}

/** Renders a text in Pango markup, wrapped to the width of the card. */
async function renderText({ text }: Html, font: string): Promise<RenderedText> {
  const sharp = await loadSharp();
  return sharp({ text: { text, font, width: innerWidth, wrap: 'word-char', rgba: true, dpi: 72 } })
    .png()
    .toBuffer({ resolveWithObject: true });
}

const inColor = (text: string, color: string) => html`<span foreground="${color}">${text}</span>`;

const titleHeight = 290;
const titleSizes = [68, 56, 46, 38];

/** Renders the title in the largest size that fits. */
async function renderTitle(title: string): Promise<RenderedText> {
  let rendered: RenderedText | undefined;
  for (const size of titleSizes) {
    rendered = await renderText(inColor(title, colors.text), `serif bold ${size}`);
    if (rendered.info.height <= titleHeight) return rendered;
  }
  const sharp = await loadSharp();
  return sharp(rendered!.data)
    .resize({ height: titleHeight })
    .png()
    .toBuffer({ resolveWithObject: true });
}

/** The first letter is Hebrew or Arabic. */
const startsRightToLeft = /^[^\p{L}]*[\p{Script=Hebrew}\p{Script=Arabic}]/u;

/** Aligns a text to the side where its lines start. */
const place = ({ data, info }: RenderedText, { top, isRtl }: { top: number; isRtl: boolean }) => ({
  input: data as OverlayOptions['input'],
  left: isRtl ? margin + innerWidth - info.width : margin,
  top,
});

const box = (width: number, height: number, background: string): OverlayOptions['input'] => ({
  create: { width, height, channels: 4, background },
});
