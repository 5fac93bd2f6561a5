/** Apostrophes, and characters that are typed instead of them. */
const apostrophes = /[`\u2018\u2019\u201b\u2032\u02b9\u02bb-\u02bf\u055a\u05f3\ua78c]/g;
/** Unicode takes the acute accent as a space with an accent, which would end the word. */
const acuteAccent = /\u00b4/g;
const hyphens = /[\u2010-\u2013\u2212\u058a\u05be]/g;
/** Stretches Arabic words on the line. */
const tatweel = /\u0640/g;

// oxlint-disable-next-line no-control-regex
const isAscii = /^[\0-\x5f\x61-\x7f]*$/;

/**
 * The text with one apostrophe, one hyphen, and letters and digits of one width, without Arabic tatweel: what people
 * type in different ways, depending on their keyboard, becomes equal.
 */
export function unifyCharacters(text: string): string {
  if (isAscii.test(text)) return text;
  return text
    .replace(acuteAccent, "'")
    .normalize('NFKC')
    .replace(apostrophes, "'")
    .replace(hyphens, '-')
    .replace(tatweel, '');
}
