import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';
import type { OverlayOptions, Sharp } from 'sharp';
import type { Context } from '../../platform/context.ts';
import { html, type Html } from '../../platform/html.ts';
import { speak } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';
import { unavailable } from '../../platform/problems.ts';
import { loadSharp } from '../../platform/sharp.ts';
import { plainTextOf } from '../../platform/markdown/markdown.ts';
import { readPicture } from '../../campaigns/media/media.ts';
import {
  cardHeight,
  cardSize,
  cardVersion,
  shownCount,
  type CardPetition,
  type CardWidth,
} from '../../reach/embeds/embeds.ts';
import { drawText, drawTitle, gradient, inColor, placeBox, placeText } from './card-drawing.ts';
import { petitionTexts } from './texts.ts';

export type CardFormat = 'jpeg' | 'png';

interface CardOptions {
  language: Language;
  width: CardWidth;
  format: CardFormat;
}

interface Card {
  /** Quoted. */
  etag: string;
  bytes: Buffer;
  /** False if the petition has a photo of ours that could not be read: a later card may show it. */
  isFinal: boolean;
}

/** Cards by what they show, about 100 KB each. */
const cards = new LRUCache<string, Promise<Card>>({ max: 200 });
const retryPhotoAfterMs = 60_000;

/** Cards are drawn one at a time, outside the main thread, to leave CPU time for requests. */
let drawing: Promise<unknown> = Promise.resolve();
let waiting = 0;
/** A card takes 0.1 to 0.2 s, and readers of previews wait for a few seconds. */
const maxWaiting = 25;

/**
 * The image for link previews of a petition: its photo, title and count.
 * @throws {Problem} unavailable if too many other cards are waiting to be drawn
 */
export function cardOf(ctx: Context, petition: CardPetition, options: CardOptions): Promise<Card> {
  const { language, width, format } = options;
  const key = [petition.id, cardVersion(petition, ctx.site.current), language, width, format].join(
    ' ',
  );
  const cached = cards.get(key);
  if (cached) return cached;
  if (waiting >= maxWaiting)
    throw unavailable('Too many cards are being drawn. Try again shortly.');
  waiting += 1;
  const card = drawing.then(() => draw(ctx, petition, options)).finally(() => (waiting -= 1));
  cards.set(key, card);
  drawing = card.then(
    ({ isFinal }) => isFinal || cards.set(key, card, { ttl: retryPhotoAfterMs }),
    () => cards.delete(key),
  );
  return card;
}

async function draw(
  ctx: Context,
  petition: CardPetition,
  { language, width, format }: CardOptions,
): Promise<Card> {
  const photo = petition.image_url === null ? 'none' : await readPhoto(ctx, petition.image_url);
  const background =
    photo instanceof Buffer ? await darkened(photo) : await plainBackground(petition.id);
  const layers = await textLayers(petition, {
    language,
    siteName: ctx.site.current.name,
    isPlain: !(photo instanceof Buffer),
  });
  const sharp = await loadSharp();
  // Composed in full size, then scaled, as sharp scales before it composes.
  const composed = await sharp(background, { raw: { ...cardSize, channels: 3 } })
    .composite(layers)
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { channels } = composed.info;
  const scaled = sharp(composed.data, { raw: { ...cardSize, channels } }).resize({
    width,
    height: cardHeight(width),
    fit: 'fill',
  });
  const bytes = await encoded(scaled, format).toBuffer();
  const digest = createHash('sha256').update(bytes).digest('base64url');
  return { bytes, etag: `"${digest.slice(0, 22)}"`, isFinal: photo !== 'unreadable' };
}

/** Messengers take JPEG files of a few hundred KB, and previews of photos in PNG are larger. */
const encoded = (image: Sharp, format: CardFormat): Sharp =>
  format === 'jpeg' ? image.jpeg({ quality: 82, progressive: true }) : image.png({ palette: true });

/** The photo as raw pixels of the card's size. It is a file of ours: nothing is loaded from other hosts. */
async function readPhoto(ctx: Context, url: string): Promise<Buffer | 'none' | 'unreadable'> {
  try {
    const bytes = await readPicture(ctx, url);
    if (bytes === 'elsewhere') return 'none';
    if (bytes === undefined) return 'unreadable';
    const sharp = await loadSharp();
    return await sharp(bytes)
      .resize({ ...cardSize, fit: 'cover', position: 'attention' })
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .raw()
      .toBuffer();
  } catch (error) {
    ctx.log.warn({ err: error }, 'the photo of a card could not be read');
    return 'unreadable';
  }
}

/** Darkness in equal steps from the top to the bottom. Large white texts have a contrast of 3 on a white photo. */
const shade = [0.52, 0.4, 0.28, 0.34, 0.5, 0.62, 0.71, 0.78, 0.83, 0.87, 0.9];

async function darkened(photo: Buffer): Promise<Buffer> {
  const rows = shade.map((opacity) => [[10, 18, 15, Math.round(opacity * 255)] as const]);
  const cover = await (await gradient(rows)).png().toBuffer();
  const sharp = await loadSharp();
  return sharp(photo, { raw: { ...cardSize, channels: 3 } })
    .composite([{ input: cover }])
    .removeAlpha()
    .raw()
    .toBuffer();
}

/** Fields of colour for petitions without a photo: top left and bottom right. White has a contrast of 5 on each. */
const fields = [
  ['#0b6b4d', '#07402f'],
  ['#1f5aa6', '#12356a'],
  ['#8a3b12', '#571f07'],
  ['#6d3a9c', '#41205f'],
  ['#9b2743', '#5e1127'],
  ['#0d6a7a', '#073e48'],
] as const;

async function plainBackground(id: string): Promise<Buffer> {
  const [from, to] = fields[createHash('sha256').update(id).digest()[0]! % fields.length]!;
  const [start, end] = [rgbaOf(from), rgbaOf(to)];
  const middle = start.map((value, index) => Math.round((value + end[index]!) / 2)) as Rgba;
  const image = await gradient([
    [start, middle],
    [middle, end],
  ]);
  return image.removeAlpha().raw().toBuffer();
}

type Rgba = [number, number, number, number];

const rgbaOf = (color: string): Rgba => [
  ...([1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as [
    number,
    number,
    number,
  ]),
  255,
];

const photoTitleSizes = [68, 58, 50];
const plainTitleSizes = [84, 70, 58];
const siteTop = 56;
const countBottom = cardSize.height - 64;
const gap = 36;
/** Above the title, where there is no photo. */
const bar = { width: 96, height: 8 };

/** The name of the site above, title and count below, all on the side where the title starts. */
async function textLayers(
  { title: typed, signature_count, status }: CardPetition,
  { language, siteName, isPlain }: { language: Language; siteName: string; isPlain: boolean },
): Promise<OverlayOptions[]> {
  const title = plainTextOf(typed) || typed;
  const isRtl = startsRightToLeft.test(title);
  const site = await drawText(inColor(html`${siteName}`, '#ffffff'), 'sans bold 30');
  const count = await drawText(countText(language, signature_count, status), 'sans 36');
  const name = await drawTitle(title, isPlain ? plainTitleSizes : photoTitleSizes);
  const countTop = countBottom - count.info.height;
  const nameTop = countTop - gap - name.info.height;
  return [
    placeText(site, { top: siteTop, isRtl }),
    placeText(name, { top: nameTop, isRtl }),
    placeText(count, { top: countTop, isRtl }),
    ...(isPlain ? [placeBox(bar, { top: nameTop - gap - bar.height, isRtl })] : []),
  ];
}

/** The first letter is Hebrew or Arabic. */
const startsRightToLeft = /^[^\p{L}]*[\p{Script=Hebrew}\p{Script=Arabic}]/u;

function countText(language: Language, signatureCount: number, status: string): Html {
  const say = speak(petitionTexts, language);
  const { count, isExact } = shownCount(signatureCount);
  const signed =
    count === 0 ? say('card_none') : say(isExact ? 'card_signed' : 'card_more', { count });
  const victory =
    status === 'victory' &&
    html`<span foreground="#ffd36b" weight="bold">${say('victory')}</span> `;
  return html`${victory}${inColor(signed, '#ffffff')}`;
}
