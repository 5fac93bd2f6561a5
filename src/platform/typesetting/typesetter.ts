import anyAscii from 'any-ascii';
import createBidi, { type Bidi, type EmbeddingLevels } from 'bidi-js';
import { Fonts, type LoadedFont } from './fonts.ts';

export type Direction = 'ltr' | 'rtl';

export interface TextOptions {
  /** In points. */
  size: number;
  isBold?: boolean;
  /** Of the lines, in points. */
  width: number;
  /** More text is cut, and ends with an ellipsis. */
  maxLines: number;
  /** That of the first letter by default. */
  direction?: Direction;
}

/** Characters of a line with one font and direction. */
interface Run {
  text: string;
  font: LoadedFont;
  /** Of embedding (UAX #9): odd from right to left. */
  level: number;
  /** fontkit fails at positioning its marks, which then stay where the font has them. */
  hasFreeMarks?: boolean;
}

export interface Line {
  /** In the order in which it is read. */
  text: string;
  /** From left to right. */
  runs: Run[];
  width: number;
  direction: Direction;
  size: number;
  isBold: boolean;
}

// Its types are those of a module with a default export, which it is not.
const bidi = (createBidi as unknown as () => Bidi)();
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
const words = new Intl.Segmenter('und', { granularity: 'word' });

/**
 * Sets texts of any script in a PDF, as text that can be selected: it chooses a font for each character, breaks lines and
 * orders them by the Unicode Bidirectional Algorithm. PDFKit alone has one font at a time, and words from left to right.
 */
export class Typesetter {
  readonly #document: PDFKit.PDFDocument;
  readonly #fonts = new Fonts();
  readonly #registered = new Set<string>();

  constructor(document: PDFKit.PDFDocument) {
    this.#document = document;
  }

  /** Loads the fonts of texts that will be set. */
  async prepare(texts: readonly string[]): Promise<void> {
    const cleaned = texts.map(cleanText).join('');
    await this.#fonts.prepare(`${cleaned}${ascii}…`);
    for (const character of new Set(cleaned)) {
      if (!this.#fonts.fontOf(character)) await this.#fonts.prepare(anyAscii(character));
    }
  }

  /** Breaks a prepared text into lines. */
  layOut(text: string, options: TextOptions): Line[] {
    const lines: string[] = [];
    const paragraphs = this.#printable(cleanText(text))
      .split('\n')
      .map((paragraph) => paragraph.trim())
      .filter((paragraph) => paragraph !== '');
    const direction = options.direction ?? directionOf(paragraphs[0] ?? '');
    const settings = { ...options, direction };
    for (const paragraph of paragraphs) {
      // One more line shows that the text goes on.
      const room = options.maxLines + 1 - lines.length;
      if (room <= 0) break;
      lines.push(...this.#breakLines(paragraph, settings, room));
    }
    if (lines.length <= options.maxLines) return lines.map((line) => this.#lineOf(line, settings));
    const shown = lines.slice(0, options.maxLines);
    return [
      ...shown.slice(0, -1).map((line) => this.#lineOf(line, settings)),
      this.#shorten(shown.at(-1)!, settings),
    ];
  }

  /** Draws a line whose baseline begins at x, or ends there if the line runs from right to left. */
  draw({ text, runs, width, direction, size, isBold }: Line, x: number, baseline: number): void {
    // What is copied and read aloud: the glyphs of many scripts are in another order than their characters. Not of lines
    // with text from right to left, for which readers of PDF files disagree on the order of this.
    const hasActualText = runs.every(({ level }) => level % 2 === 0);
    if (hasActualText) this.#document.markContent('Span', { actual: text });
    let left = direction === 'rtl' ? x - width : x;
    for (const run of runs) {
      const stroke = (run.font.isThin ? thinStroke : 0) + (isBold ? boldStroke : 0);
      this.#use(run.font, size)
        .lineWidth(stroke * size)
        .text(run.text, left, baseline, {
          lineBreak: false,
          baseline: 'alphabetic',
          ...shapingOf(run),
          ...(stroke > 0 && { fill: true, stroke: true }),
        });
      left += this.#widthOf(run, size);
    }
    if (hasActualText) this.#document.endMarkedContent();
  }

  #use(font: LoadedFont, size: number): PDFKit.PDFDocument {
    if (!this.#registered.has(font.name)) {
      this.#document.registerFont(font.name, font.bytes);
      this.#registered.add(font.name);
    }
    return this.#document.font(font.name).fontSize(size);
  }

  #widthOf(run: Run, size: number): number {
    const document = this.#use(run.font, size);
    try {
      return document.widthOfString(run.text, shapingOf(run));
    } catch (error) {
      // Such as those of Gurmukhi: an anchor that the font leaves out.
      if (run.hasFreeMarks || !(error instanceof TypeError)) throw error;
      run.hasFreeMarks = true;
      return document.widthOfString(run.text, shapingOf(run));
    }
  }

  /** Transcribes characters that no font has. */
  #printable(text: string): string {
    return Array.from(text, (character) =>
      character === '\n' || controls.test(character) || this.#fonts.fontOf(character)
        ? character
        : anyAscii(character),
    ).join('');
  }

  #breakLines(text: string, options: SetOptions, maxLines: number): string[] {
    const lines: string[] = [];
    let line = '';
    let width = 0;
    const measured = (piece: string) => this.#lineOf(piece, options).width;
    for (const piece of this.#piecesOf(text, options)) {
      const trimmed = measured(piece.trimEnd());
      if (line !== '' && width + trimmed > options.width) {
        lines.push(line.trimEnd());
        if (lines.length === maxLines) return lines;
        [line, width] = ['', 0];
      }
      line += piece;
      width += piece === piece.trimEnd() ? trimmed : measured(piece);
    }
    return [...lines, line.trimEnd()];
  }

  /** Words with the spaces after them; those that are wider than a line in parts that are not. */
  #piecesOf(text: string, options: SetOptions): string[] {
    return breakable(text).flatMap((word) => {
      if (this.#lineOf(word.trimEnd(), options).width <= options.width) return word;
      const parts: string[] = [];
      let part = '';
      let width = 0;
      for (const { segment } of graphemes.segment(word)) {
        const added = this.#lineOf(segment, options).width;
        if (part !== '' && width + added > options.width) {
          parts.push(part);
          [part, width] = ['', 0];
        }
        part += segment;
        width += added;
      }
      return [...parts, part];
    });
  }

  #shorten(text: string, options: SetOptions): Line {
    const pieces = breakable(text);
    for (let kept = pieces.length; kept > 0; kept -= 1) {
      const line = this.#lineOf(`${withoutEnd(pieces.slice(0, kept).join(''))}…`, options);
      if (line.width <= options.width) return line;
    }
    const characters = Array.from(graphemes.segment(text), ({ segment }) => segment);
    for (let kept = characters.length - 1; kept > 0; kept -= 1) {
      const line = this.#lineOf(`${characters.slice(0, kept).join('')}…`, options);
      if (line.width <= options.width) return line;
    }
    return this.#lineOf('…', options);
  }

  #lineOf(text: string, { direction, size, isBold = false }: SetOptions): Line {
    const runs = inVisualOrder(this.#runsOf(text, bidi.getEmbeddingLevels(text, direction)));
    const width = runs.reduce((sum, run) => sum + this.#widthOf(run, size), 0);
    return { text: text.replaceAll(allControls, ''), runs, width, direction, size, isBold };
  }

  #runsOf(text: string, embedding: EmbeddingLevels): Run[] {
    const { levels } = embedding;
    const mirrored = bidi.getMirroredCharactersMap(text, levels);
    const runs: Run[] = [];
    for (const { segment, index } of graphemes.segment(text)) {
      const level = levels[index]!;
      const shown = mirrored.get(index) ?? segment;
      for (const [piece, font] of this.#fontsOf(shown, runs.at(-1)?.font)) {
        const last = runs.at(-1);
        if (last && last.font === font && last.level === level) last.text += piece;
        else runs.push({ text: piece, font, level });
      }
    }
    return runs;
  }

  /** The fonts of a grapheme: one for all of it if possible, and that of the text before for spaces and punctuation. */
  #fontsOf(grapheme: string, previous: LoadedFont | undefined): [string, LoadedFont][] {
    const characters = Array.from(grapheme).filter((character) => !controls.test(character));
    if (characters.length === 0) return [];
    const visible = characters.filter((character) => !joiners.test(character));
    const hasAll = (font: LoadedFont) =>
      visible.every((character) => font.characters.has(character.codePointAt(0)!));
    const fonts = visible
      .map((character) => this.#fonts.fontOf(character))
      .filter((one) => one !== null);
    const candidates = [...(previous && isForAny(previous, grapheme) ? [previous] : []), ...fonts];
    const font = candidates.find(hasAll);
    if (font) return [[characters.join(''), font]];
    return visible.flatMap((character): [string, LoadedFont][] => {
      const own = this.#fonts.fontOf(character);
      return own && !modifiers.test(character) ? [[character, own]] : [];
    });
  }
}

/** Whether a font is also for spaces and punctuation beside its letters. Those of emoji are wide. */
const isForAny = (font: LoadedFont, grapheme: string) =>
  !letters.test(grapheme) && !font.name.startsWith('noto-emoji');

type SetOptions = TextOptions & { direction: Direction };

/** Of fonts whose lines are too thin, and of bold text, in multiples of the font's size. */
const thinStroke = 0.05;
const boldStroke = 0.024;

const ascii = Array.from({ length: 95 }, (_, index) => String.fromCodePoint(32 + index)).join('');

/** Marks that order text, which have no glyphs. */
const controls = /^[\u061c\u200e\u200f\u2066-\u2069]$/u;
const allControls = /[\u061c\u200e\u200f\u2066-\u2069]/gu;
const joiners = /^[\u200c\u200d]$/u;
/** Of the skin of an emoji, in fonts without the combination. */
const modifiers = /^\p{Emoji_Modifier}$/u;
const letters = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** Omits what has no glyph; embeddings and overrides of direction too, which can make a text read as another. */
const cleanText = (text: string): string =>
  text
    .normalize('NFC')
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll('\t', ' ')
    .replaceAll(/[\u202a-\u202e\u00ad\u200b\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb]/g, '')
    .replaceAll(/[\ufe00-\ufe0f\u{e0000}-\u{e0fff}]/gu, '')
    .replaceAll(/[\u2000-\u200a\u202f\u205f\u00a0]/g, '\u00a0')
    .replaceAll(/(?!\n)\p{Cc}|\p{Cs}|\p{Cn}|\p{Co}/gu, '')
    .replaceAll(/(?<=\p{Extended_Pictographic}\p{Emoji_Modifier}?)\u200d/gu, '');

const rtlLetters = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;

function directionOf(text: string): Direction {
  const [letter] = /\p{L}/u.exec(text) ?? [''];
  return rtlLetters.test(letter) ? 'rtl' : 'ltr';
}

/**
 * What shapes a run: fontkit takes a script in the place of features, and its direction from that. By itself it takes the
 * direction of most characters, which is wrong for digits and punctuation beside Arabic.
 */
function shapingOf({ text, level, hasFreeMarks }: Run): PDFKit.Mixins.TextOptions {
  if (hasFreeMarks)
    return { features: { mark: false, mkmk: false, abvm: false, blwm: false } as never };
  if (level % 2 === 1) {
    return { features: (/\p{Script=Hebrew}/u.test(text) ? 'hebr' : 'arab') as never };
  }
  return rtlLetters.test(text) || !/\p{L}/u.test(text) ? { features: 'latn' as never } : {};
}

/** Reorders runs from the order in which they are read (UAX #9, rule L2). */
function inVisualOrder(runs: Run[]): Run[] {
  const ordered = [...runs];
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level > 0; level -= 1) {
    for (let start = 0; start < ordered.length; start += 1) {
      let end = start;
      while (end < ordered.length && ordered[end]!.level >= level) end += 1;
      if (end === start) continue;
      ordered.splice(start, end - start, ...ordered.slice(start, end).toReversed());
      start = end;
    }
  }
  return ordered;
}

/** Scripts whose words have no spaces between them. */
const noSpaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u3000-\u303f\uff00-\uffef]/u;
/** A hyphen keeps short starts of words such as e-mail. */
const mayBreakAfter = /\s$|[–—/]$|[^\s-]{3}-$/u;
/** An ellipsis follows words, not other punctuation. */
const withoutEnd = (text: string) => text.replace(/[\s.,;:!?،؛。，、]+$/u, '');
const opening = /[\p{Ps}\p{Pi}]$/u;
const closing = /^[\p{Pe}\p{Pf}\p{Po}\p{M}\s]/u;

/** Splits a text where a line may end; spaces belong to the word before them. */
function breakable(text: string): string[] {
  const pieces: string[] = [];
  for (const { segment } of words.segment(text)) {
    const before = pieces.at(-1);
    if (before !== undefined && !mayBreakBetween(before, segment)) {
      pieces[pieces.length - 1] = before + segment;
    } else pieces.push(segment);
  }
  return pieces;
}

function mayBreakBetween(before: string, after: string): boolean {
  if (closing.test(after) || opening.test(before)) return false;
  if (before.endsWith('\u00a0') || after.startsWith('\u00a0')) return false;
  if (mayBreakAfter.test(before)) return true;
  return noSpaces.test(Array.from(before).at(-1)!) || noSpaces.test(Array.from(after)[0]!);
}
