import { inflateSync } from 'node:zlib';

/** Extracts the text of a PDF with standard fonts, line by line. */
export function textOfPdf(pdf: Buffer): string {
  const lines: string[] = [];
  const source = pdf.toString('latin1');
  for (const [, stream] of source.matchAll(/stream\n(.*?)\nendstream/gs)) {
    const bytes = Buffer.from(stream!, 'latin1');
    // zlib streams start with 0x78; fonts and colour profiles are not compressed.
    const content = bytes[0] === 0x78 ? inflateSync(bytes).toString('latin1') : '';
    for (const [, pieces] of content.matchAll(/\[(.*?)\] TJ/gs)) {
      const hex = [...pieces!.matchAll(/<([0-9a-f]*)>/g)].map(([, text]) => text).join('');
      lines.push(new TextDecoder('windows-1252').decode(Buffer.from(hex, 'hex')));
    }
  }
  return lines.join('\n');
}

/** The texts that a PDF gives for its lines (ActualText), in their order. */
export function linesOfPdf(pdf: Buffer): string[] {
  return contentsOf(pdf).flatMap((content) =>
    Array.from(content.matchAll(/\/ActualText \(((?:\\[^]|[^\\)])*)\)/g), ([, text]) =>
      decodeString(text!),
    ),
  );
}

/** How many of its glyphs are those of fonts for characters that they lack. */
export function missingGlyphsOf(pdf: Buffer): number {
  const glyphs = contentsOf(pdf).flatMap((content) =>
    Array.from(content.matchAll(/\[(.*?)\] TJ/gs)).flatMap(([, pieces]) =>
      Array.from(pieces!.matchAll(/<([0-9a-f]*)>/g)).flatMap(
        ([, hex]) => hex!.match(/.{4}/g) ?? [],
      ),
    ),
  );
  return glyphs.filter((glyph) => glyph === '0000').length;
}

export const pagesOfPdf = (pdf: Buffer): number =>
  pdf.toString('latin1').match(/\/Type \/Page\n/g)?.length ?? 0;

/** The compressed streams with text, decompressed. */
const contentsOf = (pdf: Buffer): string[] =>
  Array.from(pdf.toString('latin1').matchAll(/stream\n(.*?)\nendstream/gs), ([, stream]) =>
    Buffer.from(stream!, 'latin1'),
  )
    .filter((bytes) => bytes[0] === 0x78)
    .map((bytes) => inflateSync(bytes).toString('latin1'))
    .filter((content) => content.includes(' TJ'));

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** Decodes a literal string: ASCII, or UTF-16 after a byte order mark. */
function decodeString(text: string): string {
  const plain = text.replaceAll(
    /\\([^])/g,
    (_, character: string) => escapes[character] ?? character,
  );
  const bytes = Buffer.from(plain, 'latin1');
  if (bytes[0] !== 0xfe || bytes[1] !== 0xff) return plain;
  return bytes.subarray(2).swap16().toString('utf16le');
}
