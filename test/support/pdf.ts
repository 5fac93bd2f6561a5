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
