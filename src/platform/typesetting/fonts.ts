import { create, type Font } from 'fontkit';
import { readFile } from 'node:fs/promises';
import decompress from 'woff2-encoder/decompress';

/**
 * The packages of fonts, in order of preference. Vazirmatn has a glyph for each Arabic letter, so that text can be copied;
 * Noto has one for the letters that differ by dots alone, but knows more letters. Chinese is before Korean, which has Chinese characters in Korean forms;
 * emoji are before Chinese, which has a few.
 */
const families = [
  'noto-sans',
  'vazirmatn',
  ...['arabic', 'hebrew', 'thai', 'bengali', 'gujarati', 'gurmukhi', 'kannada', 'malayalam'].map(
    (script) => `noto-sans-${script}`,
  ),
  ...['oriya', 'sinhala', 'tamil', 'telugu', 'khmer', 'lao', 'myanmar'].map(
    (script) => `noto-sans-${script}`,
  ),
  ...['armenian', 'ethiopic', 'georgian'].map((script) => `noto-sans-${script}`),
  'noto-emoji',
  'noto-sans-sc',
  'noto-sans-kr',
];

/** A file with a part of a family's characters. */
interface FontFile {
  /** Unique among all files. */
  name: string;
  address: URL;
  /** First and last code points of what it may have. */
  ranges: (readonly [number, number])[];
}

export interface LoadedFont {
  name: string;
  /** TrueType. */
  bytes: Buffer;
  characters: ReadonlySet<number>;
  /** Its lines are too thin to be read at small sizes. */
  isThin: boolean;
}

/** Finds fonts for characters. Loads the files in which they are, and no others. */
export class Fonts {
  #files: Promise<FontFile[]> | undefined;
  #loaded = new Map<string, Promise<LoadedFont>>();
  #byCodePoint = new Map<number, LoadedFont | null>();

  /** Loads the fonts of a text. */
  async prepare(text: string): Promise<void> {
    for (const character of new Set(text)) {
      const codePoint = character.codePointAt(0)!;
      if (this.#byCodePoint.has(codePoint)) continue;
      this.#byCodePoint.set(codePoint, (await this.#find(codePoint)) ?? null);
    }
  }

  /** The font of a character of a prepared text; null if no font has it. */
  fontOf(character: string): LoadedFont | null {
    return this.#byCodePoint.get(character.codePointAt(0)!) ?? null;
  }

  async #find(codePoint: number): Promise<LoadedFont | undefined> {
    this.#files ??= Promise.all(families.map(filesOf)).then((files) => files.flat());
    for (const file of await this.#files) {
      if (!file.ranges.some(([first, last]) => first <= codePoint && codePoint <= last)) continue;
      const loading = this.#loaded.getOrInsertComputed(file.name, () => load(file));
      const font = await loading;
      // A range that a file is said to have can have gaps.
      if (font.characters.has(codePoint)) return font;
    }
    return undefined;
  }
}

const addressOf = (family: string, file: string) =>
  new URL(import.meta.resolve(`@fontsource-variable/${family}/${file}`));

async function filesOf(family: string): Promise<FontFile[]> {
  const parts = JSON.parse(await readFile(addressOf(family, 'unicode.json'), 'utf8')) as Record<
    string,
    string
  >;
  return Object.entries(parts).map(([part, ranges]) => {
    const name = `${family}-${part.replaceAll(/[[\]]/g, '')}`;
    return {
      name,
      address: addressOf(family, `files/${name}-wght-normal.woff2`),
      ranges: ranges.split(',').map(rangeOf),
    };
  });
}

/** Reads `U+600-6FF` or `U+204F`. */
function rangeOf(text: string): readonly [number, number] {
  const [first, last = first] = text.replace('U+', '').split('-');
  return [Number.parseInt(first!, 16), Number.parseInt(last!, 16)];
}

/** The weight of regular text is 400; Chinese and Korean are 100 unless varied, which fontkit cannot embed. */
const thinWeight = 300;

async function load({ name, address }: FontFile): Promise<LoadedFont> {
  const bytes = Buffer.from(await decompress(await readFile(address)));
  const font = create(bytes) as Font;
  const weight = font.variationAxes['wght']?.default ?? 400;
  return { name, bytes, characters: new Set(font.characterSet), isThin: weight < thinWeight };
}
