import anyAscii from 'any-ascii';
import { plainTextOf } from '../../platform/markdown/markdown.ts';
import type { Summary } from './summary.ts';
import { formatDate, formatNumber, formatSignatures } from './wording.ts';

/** Returns the summary as a PDF, with the full text of the petition. */
export async function summaryPdf(summary: Summary): Promise<Buffer> {
  const { petition, madeAt } = summary;
  // Loaded on demand: it is large, and few processes write a PDF.
  const { default: PdfDocument } = await import('pdfkit');
  const document = new PdfDocument({
    size: 'A4',
    margin: 56,
    lang: 'en',
    displayTitle: true,
    info: { Title: petition.title, CreationDate: madeAt },
  });
  const write = new Writer(document);
  write.title(petition.title);
  write.text(
    `${formatSignatures(petition.signature_count)} on ${formatDate(madeAt)}` +
      (petition.signature_goal ? `, of a goal of ${formatNumber(petition.signature_goal)}.` : '.'),
  );
  if (petition.creator) write.text(`Created by ${petition.creator.display_name}.`);
  if (petition.published_at) write.text(`Published on ${formatDate(petition.published_at)}.`);
  write.text(summary.url);
  write.section('What it asks', [plainTextOf(petition.description, { hasAddresses: true })]);
  write.section(
    'Milestones',
    summary.milestones.map(
      ({ threshold, reached_at }) => `${formatSignatures(threshold)} on ${formatDate(reached_at)}`,
    ),
  );
  write.section(
    'Where signers say they are',
    summary.places.map(({ place, count }) => `${place}: ${formatNumber(count)}`),
  );
  write.section(
    'The newest signatures that are not anonymous',
    (summary.signers ?? []).map(({ name, place, signed_at }) =>
      [name, place, formatDate(signed_at)].filter(Boolean).join(', '),
    ),
  );
  if (write.transcribed) {
    write.section('About the letters', [
      'The fonts of this document have Western letters only. Others are transcribed here; the page of the petition has them as they were written.',
    ]);
  }
  document.end();
  return Buffer.concat(await Array.fromAsync(document as AsyncIterable<Buffer>));
}

/** Writes texts below each other. Transcribes characters that the fonts lack. */
class Writer {
  transcribed = false;
  #document: PDFKit.PDFDocument;

  constructor(document: PDFKit.PDFDocument) {
    this.#document = document;
  }

  title(text: string): void {
    this.#document.font('Helvetica-Bold').fontSize(20).text(this.#printable(text)).moveDown(0.5);
    this.#document.font('Helvetica').fontSize(11);
  }

  text(text: string, maxLength = maxCharacters): void {
    const printable = this.#printable(text);
    const truncated =
      printable.length > maxLength ? `${printable.slice(0, maxLength)}…` : printable;
    this.#document.text(withLineBreaks(truncated));
  }

  /** Writes a heading and lines, or nothing if there are no lines. */
  section(heading: string, lines: string[]): void {
    if (lines.length === 0) return;
    this.#document.moveDown().font('Helvetica-Bold').fontSize(13).text(heading);
    this.#document.font('Helvetica').fontSize(11);
    for (const line of lines) this.text(line, maxCharacters / lines.length);
  }

  #printable(text: string): string {
    const composed = text.normalize('NFC').replaceAll(/\r\n?/g, '\n');
    return composed.replaceAll(unprintable, (character) => {
      this.transcribed ||= !ignorable.test(character);
      return anyAscii(character);
    });
  }
}

/**
 * Limit of a section, which keeps its time at about a second. Texts in Western letters are always complete;
 * 50,000 emoji would become two million characters.
 */
const maxCharacters = 200_000;

const breakOpportunities = /(\n|(?<=[\p{L}\p{N}]) (?=[\p{L}\p{N}]))/u;

/**
 * Inserts line breaks into words of more than 1,000 characters. PDFKit measures the rest of a word for each of
 * its lines: 50,000 characters without spaces, for example Chinese, took 15 s.
 */
const withLineBreaks = (text: string) =>
  text
    .split(breakOpportunities)
    .map((part) => part.replaceAll(/[^]{1000}(?=[^])/g, '$&\n'))
    .join('');

/** Characters that the standard fonts of PDF lack: all but line breaks and Windows-1252. */
const unprintable = /[^\n\x20-\x7E\xA0-\xFF€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]/gu;
/** Invisible characters, and spaces of other widths. */
const ignorable = /[\p{C}\p{Z}\u{FE00}-\u{FE0F}]/u;
