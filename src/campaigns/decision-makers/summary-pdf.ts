import anyAscii from 'any-ascii';
import type { Summary } from './summary.ts';
import { dateOf, numberOf, signaturesOf } from './wording.ts';

/** The summary for printing, with the whole text of the petition. */
export async function summaryPdf(summary: Summary): Promise<Buffer> {
  const { petition, madeAt } = summary;
  // Large, and most processes never write one.
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
    `${signaturesOf(petition.signature_count)} on ${dateOf(madeAt)}` +
      (petition.signature_goal ? `, of a goal of ${numberOf(petition.signature_goal)}.` : '.'),
  );
  if (petition.creator) write.text(`Created by ${petition.creator.display_name}.`);
  if (petition.published_at) write.text(`Published on ${dateOf(petition.published_at)}.`);
  write.text(summary.url);
  write.section('What it asks', [petition.description]);
  write.section(
    'Milestones',
    summary.milestones.map(
      ({ threshold, reached_at }) => `${signaturesOf(threshold)} on ${dateOf(reached_at)}`,
    ),
  );
  write.section(
    'Where signers say they are',
    summary.places.map(({ place, count }) => `${place}: ${numberOf(count)}`),
  );
  write.section(
    'The newest signatures that are not anonymous',
    (summary.signers ?? []).map(({ name, place, signed_at }) =>
      [name, place, dateOf(signed_at)].filter(Boolean).join(', '),
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

/** Writes texts below each other, in letters that the fonts have. */
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

  text(text: string, most = mostCharacters): void {
    const printable = this.#printable(text);
    const cut = printable.length > most ? `${printable.slice(0, most)}…` : printable;
    this.#document.text(brokenUp(cut));
  }

  /** A heading and lines below it; nothing where there are no lines. */
  section(heading: string, lines: string[]): void {
    if (lines.length === 0) return;
    this.#document.moveDown().font('Helvetica-Bold').fontSize(13).text(heading);
    this.#document.font('Helvetica').fontSize(11);
    for (const line of lines) this.text(line, mostCharacters / lines.length);
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
 * Of a section, so that none takes longer than about a second. A text in Western letters is always whole; one
 * of emoji would have two million, by their names.
 */
const mostCharacters = 200_000;

/** Where every line may break. */
const breaks = /(\n|(?<=[\p{L}\p{N}]) (?=[\p{L}\p{N}]))/u;

/**
 * The text with line breaks in what else has none for 1,000 characters. PDFKit measures all that is left of
 * such a word for each line of it: 50,000 characters without spaces, as Chinese is written, took 15 s.
 */
const brokenUp = (text: string) =>
  text
    .split(breaks)
    .map((part) => part.replaceAll(/[^]{1000}(?=[^])/g, '$&\n'))
    .join('');

/** What the standard fonts of PDF lack: all but line breaks and the letters of Windows-1252. */
const unprintable = /[^\n\x20-\x7E\xA0-\xFF€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]/gu;
/** Characters that nobody sees, and spaces of other widths. */
const ignorable = /[\p{C}\p{Z}\u{FE00}-\u{FE0F}]/u;
