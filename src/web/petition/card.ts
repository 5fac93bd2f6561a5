import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';
import type { OverlayOptions } from 'sharp';
import { html, type Html } from '../../platform/html.ts';
import { formatNumber, speak } from '../../platform/pages/catalog.ts';
import { directionOf, type Language } from '../../platform/pages/language.ts';
import { siteName } from '../../platform/pages/page.ts';
import { loadSharp } from '../../platform/sharp.ts';
import type { PetitionRow } from '../../campaigns/petitions/read.ts';
import { petitionTexts } from './texts.ts';

/** Of the picture in pixels: what previews of links show whole. */
export const cardSize = { width: 1200, height: 630 };
const margin = 80;
const inner = cardSize.width - 2 * margin;
const colors = {
  back: '#fbfaf7',
  text: '#1c211f',
  quiet: '#57605c',
  line: '#dcd9d0',
  act: '#0b6b4d',
};

type Shown = Pick<PetitionRow, 'title' | 'signature_count' | 'signature_goal' | 'status'>;

interface Card {
  etag: string;
  png: Buffer;
}

/** Pictures that were made, some 30 KB each. */
const made = new LRUCache<string, Promise<Card>>({ max: 200 });
/** One is drawn at a time, beside the process's own thread, so that pictures never crowd out the rest. */
let drawing: Promise<unknown> = Promise.resolve();

/** The picture by which a petition is shown where its link is shared. It tells the count in round figures. */
export function cardOf(petition: Shown, language: Language): Promise<Card> {
  const count = roundedDown(petition.signature_count);
  const key = JSON.stringify([
    petition.title,
    count,
    petition.signature_goal,
    petition.status,
    language,
  ]);
  const known = made.get(key);
  if (known) return known;
  const card = drawing.then(async () => {
    const png = await draw({ ...petition, signature_count: count }, language);
    return { png, etag: `"${createHash('sha256').update(key).digest('base64url').slice(0, 22)}"` };
  });
  drawing = card.catch(() => made.delete(key));
  made.set(key, card);
  return card;
}

/** To two digits, so that a petition that is being signed needs few pictures. */
export function roundedDown(count: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, count))) - 1);
  return Math.floor(count / unit) * unit;
}

async function draw(
  { title, signature_count: count, signature_goal: goal, status }: Shown,
  language: Language,
): Promise<Buffer> {
  const say = speak(petitionTexts, language);
  const rtl = directionOf(language) === 'rtl';
  const victory = status === 'victory' && html`${say('victory')} `;
  const ofGoal = goal !== null && ` / ${formatNumber(language, goal)}`;
  const counted = html`<span foreground="${colors.act}" weight="bold">${victory}${say('count', { count })}</span><span foreground="${colors.quiet}">${ofGoal}</span>`;
  const layers = [
    { input: box(cardSize.width, 16, colors.act), left: 0, top: 0 },
    place(await letters(marked(siteName, colors.quiet), 'sans 30'), { top: 64, rtl }),
    place(await lettersOfTitle(title), { top: 136, rtl: beginsRightToLeft.test(title) }),
    place(await letters(counted, 'sans 40'), { top: 462, rtl }),
  ];
  if (goal !== null) {
    const done = Math.max(1, Math.round(inner * Math.min(1, count / goal)));
    const left = rtl ? margin + inner - done : margin;
    layers.push({ input: box(inner, 24, colors.line), left: margin, top: 540 });
    layers.push({ input: box(done, 24, colors.act), left, top: 540 });
  }
  const sharp = await loadSharp();
  return sharp({ create: { ...cardSize, channels: 4, background: colors.back } })
    .composite(layers)
    .png({ palette: true })
    .toBuffer();
}

interface Letters {
  data: Buffer;
  info: { width: number; height: number };
}

/** A text in the markup of Pango, which breaks it into lines. */
async function letters({ text }: Html, font: string): Promise<Letters> {
  const sharp = await loadSharp();
  return sharp({ text: { text, font, width: inner, wrap: 'word-char', rgba: true, dpi: 72 } })
    .png()
    .toBuffer({ resolveWithObject: true });
}

const marked = (text: string, color: string) => html`<span foreground="${color}">${text}</span>`;

const titleHeight = 290;
const titleSizes = [68, 56, 46, 38];

/** The title as large as it fits. */
async function lettersOfTitle(title: string): Promise<Letters> {
  let written: Letters | undefined;
  for (const size of titleSizes) {
    written = await letters(marked(title, colors.text), `serif bold ${size}`);
    if (written.info.height <= titleHeight) return written;
  }
  const sharp = await loadSharp();
  return sharp(written!.data)
    .resize({ height: titleHeight })
    .png()
    .toBuffer({ resolveWithObject: true });
}

/** Hebrew or Arabic letters, before any others. */
const beginsRightToLeft = /^[^\p{L}]*[\p{Script=Hebrew}\p{Script=Arabic}]/u;

/** Where letters stand, at the side where their lines begin. */
const place = ({ data, info }: Letters, { top, rtl }: { top: number; rtl: boolean }) => ({
  input: data as OverlayOptions['input'],
  left: rtl ? margin + inner - info.width : margin,
  top,
});

const box = (width: number, height: number, background: string): OverlayOptions['input'] => ({
  create: { width, height, channels: 4, background },
});
