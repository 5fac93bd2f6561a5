/**
 * What each UTF-16 unit counts as where names are compared: letters without case and accents. Spaces,
 * digits and punctuation count as nothing, so "Saint-Denis" is "saint denis", and a postal code is no
 * part of a name. Units beyond the alphabets stand for themselves.
 */
const folded = new Uint16Array(65_536);
for (let unit = 0; unit < 0x20_00; unit += 1) {
  const text = String.fromCharCode(unit);
  const base = text.normalize('NFD').toLowerCase().normalize('NFD').charCodeAt(0);
  if (/\p{L}|\p{M}/u.test(text) && !(unit >= 0x3_00 && unit <= 0x3_6f)) folded[unit] = base;
}
for (let unit = 0x20_00; unit < 65_536; unit += 1) {
  // Surrogates are halves of letters; what is left here of punctuation is rare in names.
  const letter = (unit >= 0xd8_00 && unit <= 0xdf_ff) || /\p{L}/u.test(String.fromCharCode(unit));
  if (letter) folded[unit] = unit;
}

/** The letters by which a name is compared. */
export function foldName(text: string): string {
  let letters = '';
  for (let index = 0; index < text.length; index += 1) {
    const unit = folded[text.charCodeAt(index)]!;
    if (unit > 0) letters += String.fromCharCode(unit);
  }
  return letters;
}

/** Two running hashes, of 32 bits each: FNV-1a, and one of the same kind. */
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
/** 35 bits: with an entry's number beside it, it fits into the 53 of a double. */
const numberOf = () => (first >>> 0) + (second & 7) * 2 ** 32;

/** A number for the name, the same for names that are compared as equal; 0 for one without letters. */
export function hashName(text: string): number {
  begin();
  let letters = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = folded[text.charCodeAt(index)]!;
    if (unit === 0) continue;
    add(unit);
    letters += 1;
  }
  return letters === 0 ? 0 : numberOf();
}

/** The same of a name in UTF-8, without making a text of it: there are hundreds of thousands. */
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
  return letters === 0 ? 0 : numberOf();
}
