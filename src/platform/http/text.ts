/** How many lines a text has. Several are kept as they were typed; Markdown without the space at its end. */
export type TextLines = 'one' | 'many' | 'markdown';

/** Returns a text as it is stored: composed (NFC), with line feeds alone, without needless space around it. */
export function normalizeText(text: string, lines: TextLines): string {
  const composed = text.replaceAll(/\r\n?/g, '\n').normalize('NFC');
  if (lines === 'many') return composed;
  return lines === 'one' ? composed.trim() : composed.trimEnd();
}

/** Kinds of characters that are refused, and why. */
const refused: [RegExp, string][] = [
  [/[\p{Cc}--[\t\n]]/v, 'a control character'],
  [/\p{Cs}/u, 'half of a character'],
  [/\p{Noncharacter_Code_Point}/u, 'which is no character'],
  [/[\u202d\u202e]/, 'which reverses text'],
  [/[\u202a-\u202c]/, 'which changes the direction of text'],
];

/** What may be refused, depending on the rest of the text. Most texts have nothing of it. */
const suspicious = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\u202a-\u202e\u2066-\u2069]/u;

/** A letter, digit, sign or symbol. Fillers of Hangul and the empty pattern of Braille look like spaces. */
const visible = /[[\p{L}\p{N}\p{P}\p{S}]--[\u115f\u1160\u2800\u3164\uffa0]]/v;

interface TextRules {
  lines: TextLines;
  /** Whether it may not be empty. */
  isNeeded: boolean;
}

/**
 * Returns why a text that people write cannot be taken, undefined if it can: the character, and where it is. Joiners,
 * which some scripts need, may be anywhere; isolates (UAX 9) must be closed.
 */
export function textProblem(text: string, { lines, isNeeded }: TextRules): string | undefined {
  const composed = normalizeText(text, lines);
  const problem = suspicious.test(composed) ? characterProblem(composed, lines) : undefined;
  if (problem !== undefined) return problem;
  if (visible.test(composed) || (!isNeeded && composed.trim() === '')) return undefined;
  // The minimum length says that it must not be empty.
  return text === '' ? undefined : 'This holds nothing that can be seen.';
}

/** Returns why PostgreSQL cannot store a text: a null byte, or half of a surrogate pair. */
export function storageProblem(text: string): string | undefined {
  if (!text.includes('\0') && text.isWellFormed()) return undefined;
  const characters = Array.from(text);
  const index = characters.findIndex((one) => one === '\0' || !one.isWellFormed());
  return problemAt(characters[index]!, index, whyRefused(characters[index]!, 'many')!);
}

/** Looks at each character, since one of them may be refused. */
function characterProblem(composed: string, lines: TextLines): string | undefined {
  const characters = Array.from(composed);
  const isolates: number[] = [];
  for (const [index, character] of characters.entries()) {
    const why = whyRefused(character, lines);
    if (why) return problemAt(character, index, why);
    if (/[\u2066-\u2068]/.test(character)) isolates.push(index);
    if (character === '\u2069' && isolates.pop() === undefined) {
      return problemAt(character, index, 'which closes nothing');
    }
  }
  const open = isolates.at(-1);
  return open === undefined
    ? undefined
    : problemAt(characters[open]!, open, 'which changes the direction of text and is not closed');
}

function whyRefused(character: string, lines: TextLines): string | undefined {
  if (lines === 'one' && character === '\n') return 'a line break';
  if (lines === 'one' && character === '\t') return 'a tab';
  return refused.find(([kind]) => kind.test(character))?.[1];
}

/** @param index of the character, from 0 */
function problemAt(character: string, index: number, why: string): string {
  const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
  return `This contains U+${code}, ${why}, at position ${index + 1}.`;
}
