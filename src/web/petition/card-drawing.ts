import type { OverlayOptions, Sharp } from 'sharp';
import { html, type Content, type Html } from '../../platform/html.ts';
import { loadSharp } from '../../platform/sharp.ts';
import { cardSize } from '../../reach/embeds/embeds.ts';

/** Between the texts of a card and its edges, in pixels. */
const margin = 72;
const innerWidth = cardSize.width - 2 * margin;

interface Drawn {
  data: Buffer;
  info: { width: number; height: number };
}

/** Draws a text in Pango markup, wrapped to the width of the card. */
export async function drawText({ text }: Html, font: string): Promise<Drawn> {
  const sharp = await loadSharp();
  return sharp({ text: { text, font, width: innerWidth, wrap: 'word-char', rgba: true, dpi: 72 } })
    .png()
    .toBuffer({ resolveWithObject: true });
}

export const inColor = (text: Content, color: string): Html =>
  html`<span foreground="${color}">${text}</span>`;

const titleColor = '#ffffff';
const maxLines = 3;
/** Of a line of text, in multiples of the font's size. */
const lineHeight = 1.25;

/** Draws the title in the largest of these sizes in which it has three lines; cut between words if none is small enough. */
export async function drawTitle(title: string, sizes: readonly number[]): Promise<Drawn> {
  const drawIn = (text: string, size: number) =>
    drawText(inColor(text, titleColor), `serif bold ${size}`);
  const fits = ({ info }: Drawn, size: number) => info.height <= maxLines * lineHeight * size;
  for (const size of sizes) {
    const drawn = await drawIn(title, size);
    if (fits(drawn, size)) return drawn;
  }
  const size = sizes.at(-1)!;
  const pieces = piecesOf(title);
  let best = await drawIn('…', size);
  let [fitting, tooMany] = [0, pieces.length];
  while (tooMany - fitting > 1) {
    const tried = Math.floor((fitting + tooMany) / 2);
    const drawn = await drawIn(`${pieces.slice(0, tried).join('').trimEnd()}…`, size);
    if (fits(drawn, size)) [fitting, best] = [tried, drawn];
    else tooMany = tried;
  }
  return best;
}

const maxWordLength = 20;
const graphemes = new Intl.Segmenter();

/** Words with the spaces after them, where a title may be cut; long words, and scripts without spaces, in characters. */
const piecesOf = (title: string): string[] =>
  title
    .split(/(?<=\s)/u)
    .flatMap((word) =>
      word.length <= maxWordLength
        ? word
        : Array.from(graphemes.segment(word), ({ segment }) => segment),
    );

interface Place {
  top: number;
  /** Whether the lines of the title start on the right. */
  isRtl: boolean;
}

const leftOf = (width: number, isRtl: boolean) =>
  isRtl ? cardSize.width - margin - width : margin;

/** Places a text at the side where the title starts. */
export const placeText = ({ data, info }: Drawn, { top, isRtl }: Place): OverlayOptions => ({
  input: data,
  left: leftOf(info.width, isRtl),
  top,
});

/** Places a white box at the side where the title starts. */
export const placeBox = (
  { width, height }: { width: number; height: number },
  { top, isRtl }: Place,
): OverlayOptions => ({
  input: { create: { width, height, channels: 3, background: '#ffffff' } },
  left: leftOf(width, isRtl),
  top,
});

type Rgba = readonly [number, number, number, number];

/** A gradient over the whole card: rows of colours of equal length, which flow into each other. */
export async function gradient(rows: readonly (readonly Rgba[])[]): Promise<Sharp> {
  const sharp = await loadSharp();
  const raw = { width: rows[0]!.length, height: rows.length, channels: 4 } as const;
  return sharp(Buffer.from(rows.flat(2)), { raw }).resize({
    ...cardSize,
    fit: 'fill',
    kernel: 'cubic',
  });
}
