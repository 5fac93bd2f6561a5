/** Line breaks and tabs are no control characters here. */
const controls = /[\p{Cc}--[\t\n\r]]/v;
/** Characters that turn the direction of the text after them (UAX 9), also beyond the text they are in. */
const directionControls = /[\u202a-\u202e\u2066-\u2069]/;
/** A letter, digit, sign or symbol. Fillers of Hangul and the empty pattern of Braille look like spaces. */
const visible = /[[\p{L}\p{N}\p{P}\p{S}]--[\u115f\u1160\u2800\u3164\uffa0]]/v;

/**
 * Returns why a text that people write cannot be taken, undefined if it can. Joiners, which some scripts need, may be
 * anywhere.
 * @param isNeeded whether it may not be empty
 */
export function textProblem(text: string, { isNeeded }: { isNeeded: boolean }): string | undefined {
  if (controls.test(text)) return 'This holds a control character.';
  if (directionControls.test(text)) {
    return 'This holds a character that changes the direction of text. Leave it out; text of each script has its own direction.';
  }
  if (visible.test(text) || (!isNeeded && text.trim() === '')) return undefined;
  // The minimum length says that it must not be empty.
  return text === '' ? undefined : 'This holds nothing that can be seen.';
}
