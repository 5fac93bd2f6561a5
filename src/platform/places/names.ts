/**
 * Maps each UTF-16 unit to its folded form for comparing names: letters without case and accents. Spaces, digits and
 * punctuation are dropped (0), so "Saint-Denis" equals "saint denis", and postal codes do not count. Units beyond the
 * alphabets map to themselves.
 */
const folded = new Uint16Array(65_536);
for (let unit = 0; unit < 0x20_00; unit += 1) {
  const text = String.fromCharCode(unit);
  const base = text.normalize('NFD').toLowerCase().normalize('NFD').charCodeAt(0);
  if (/\p{L}|\p{M}/u.test(text) && !(unit >= 0x3_00 && unit <= 0x3_6f)) folded[unit] = base;
}
for (let unit = 0x20_00; unit < 65_536; unit += 1) {
  // Surrogates are halves of letters; the punctuation among them is rare in names.
  const letter = (unit >= 0xd8_00 && unit <= 0xdf_ff) || /\p{L}/u.test(String.fromCharCode(unit));
  if (letter) folded[unit] = unit;
}

/** Folds a name for comparison. */
export function foldName(text: string): string {
  let letters = '';
  for (let index = 0; index < text.length; index += 1) {
    const unit = folded[text.charCodeAt(index)]!;
    if (unit > 0) letters += String.fromCharCode(unit);
  }
  return letters;
}

/** Two running hashes of 32 bits: FNV-1a and a similar one. */
let first = 0;
let second = 0;
function add(unit: number): void {
  first = Math.imul(first ^ unit, 0x01_00_01_93);
  second = Math.imul(second ^ unit, 0x85_eb_ca_6b);
  second ^= second >>> 13;
}
const begin = () => {
  first = 0x81_1c_9d_c5 | 0;
  second = 0x97_47_b2_8c | 0;
};
/** The hash of 35 bits, which together with 18 bits of an entry fits into the 53 bits of a double. */
const finish = () => (first >>> 0) + (second & 7) * 2 ** 32;

/** Hashes the folded name. Returns 0 for a name without letters. */
export function hashName(text: string): number {
  begin();
  let letters = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = folded[text.charCodeAt(index)]!;
    if (unit === 0) continue;
    add(unit);
    letters += 1;
  }
  return letters === 0 ? 0 : finish();
}

/** Hashes a name in UTF-8 without creating a string, since there are hundreds of thousands. */
export function hashBytes(bytes: Uint8Array, from: number, to: number): number {
  begin();
  let letters = 0;
  for (let index = from; index < to;) {
    const byte = bytes[index]!;
    const length = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    let point = length === 1 ? byte : byte & (0xff >> (length + 1));
    for (let next = 1; next < length; next += 1)
      point = (point << 6) | (bytes[index + next]! & 0x3f);
    index += length;
    if (point > 0xff_ff) {
      const beyond = point - 0x1_00_00;
      add(0xd8_00 + (beyond >> 10));
      add(0xdc_00 + (beyond & 0x3_ff));
      letters += 1;
      continue;
    }
    const unit = folded[point]!;
    if (unit === 0) continue;
    add(unit);
    letters += 1;
  }
  return letters === 0 ? 0 : finish();
}

/** Whether a text begins with a script in which few letters say as much as three of an alphabet. */
export const isSyllabic = (text: string): boolean =>
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text);

/** Adds a value to those of a key, once. */
export function addValue<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key);
  if (!values) map.set(key, [value]);
  else if (!values.includes(value)) values.push(value);
}
