import PdfDocument from 'pdfkit';
import { encodeQR } from 'qr';
import { Typesetter, type Line, type TextOptions } from '../../platform/typesetting/typesetter.ts';
import type { SheetContent } from './sheet-content.ts';

/** A4, in points. */
const page = { width: 595.28, height: 841.89 };
const margin = 40;
const innerWidth = page.width - 2 * margin;
const black = '#000000';
/** Has a contrast of 7 on white, and is readable from printers that save ink. */
const gray = '#505050';

/** Returns a sheet for signatures on paper as a PDF. */
export async function sheetPdf(content: SheetContent): Promise<Buffer> {
  const document = new PdfDocument({
    size: 'A4',
    margin: 0,
    autoFirstPage: false,
    lang: content.language,
    displayTitle: true,
    info: { Title: content.documentTitle },
  });
  const sheet = new Sheet(document, content);
  await sheet.prepare();
  sheet.drawPages();
  document.end();
  return Buffer.concat(await Array.fromAsync(document as AsyncIterable<Buffer>));
}

interface Block extends Omit<TextOptions, 'width' | 'maxLines'> {
  text: string;
  color?: string;
  /** Between baselines, in multiples of the size. */
  leading?: number;
  maxLines: number;
  width?: number;
}

/** Title sizes, from the largest; the last is for whatever fits in none. */
const titleSizes = [20, 17, 14.5, 12.5];
const titleLines = 3;
const longTitleLines = 7;
const textLines = 9;
const codeSize = 92;
const gap = 16;
const rowHeight = 26;
/** Of lines for signatures on the first page, however long its texts are. */
const minRows = 8;
/** Shares of the width. */
const columns = { number: 0.06, name: 0.29, town: 0.2, contact: 0.23, signature: 0.22 };

class Sheet {
  readonly #document: PDFKit.PDFDocument;
  readonly #content: SheetContent;
  readonly #typesetter: Typesetter;
  #line = 0;

  constructor(document: PDFKit.PDFDocument, content: SheetContent) {
    this.#document = document;
    this.#content = content;
    this.#typesetter = new Typesetter(document);
  }

  prepare(): Promise<void> {
    const { columns: headings, by, pages, lineNumbers, ...rest } = this.#content;
    const texts = Object.values(rest).filter((one) => typeof one === 'string');
    return this.#typesetter.prepare([
      ...texts,
      ...Object.values(headings),
      ...by,
      ...pages,
      ...lineNumbers,
    ]);
  }

  drawPages(): void {
    for (const [index, label] of this.#content.pages.entries()) {
      this.#document.addPage();
      const footerTop = this.#drawFooter(label);
      const top = index === 0 ? this.#drawHead(footerTop) : this.#drawShortHead();
      this.#drawTable(top, footerTop);
    }
  }

  /** Draws the site, the title, who asks, the text and the code; returns where they end. */
  #drawHead(footerTop: number): number {
    const { heading, title, by, text, source, warning, scan, url } = this.#content;
    const width = innerWidth - codeSize - gap;
    this.#drawCode(url, scan);
    let y = margin;
    y = this.#draw({ text: heading, size: 9, color: gray, maxLines: 2, width, ...this.#own }, y);
    if (warning)
      y = this.#draw(
        { text: warning, size: 11, isBold: true, maxLines: 3, width, ...this.#own },
        y + 4,
      );
    y = this.#drawTitle(title, width, y + 6);
    for (const one of by) {
      y = this.#draw({ text: one, size: 10, maxLines: 3, width, ...this.#own }, y + 4);
    }
    y = Math.max(y + 8, this.#codeBottom + 8);
    const bottom = footerTop - headingHeight - minRows * rowHeight - 44;
    const lines = Math.min(textLines, Math.floor((bottom - y) / (10 * 1.38)));
    y = this.#draw({ text, size: 10, leading: 1.38, maxLines: Math.max(lines, 1) }, y);
    return (
      this.#draw({ text: source, size: 8.5, color: gray, maxLines: 3, ...this.#own }, y + 5) + 12
    );
  }

  /** A page can be separated from the first one, and people sign what it names. */
  #drawShortHead(): number {
    const { heading, title, url, warning } = this.#content;
    let y = this.#draw({ text: heading, size: 9, color: gray, maxLines: 1, ...this.#own }, margin);
    if (warning)
      y = this.#draw({ text: warning, size: 11, isBold: true, maxLines: 3, ...this.#own }, y + 4);
    y = this.#draw({ text: title, size: 12.5, isBold: true, maxLines: longTitleLines }, y + 5);
    return this.#draw({ text: url, size: 8.5, color: gray, maxLines: 3, ...this.#own }, y + 4) + 12;
  }

  #drawTitle(text: string, width: number, top: number): number {
    const fitting = titleSizes.find(
      (size) =>
        this.#lines({ text, size, isBold: true, maxLines: titleLines + 1, width }).length <=
        titleLines,
    );
    const size = fitting ?? titleSizes.at(-1)!;
    return this.#draw({ text, size, isBold: true, maxLines: longTitleLines, width }, top);
  }

  /** Draws the privacy line and the page's number at the bottom; returns where they begin. */
  #drawFooter(label: string): number {
    const { privacy } = this.#content;
    const note: Block = {
      text: privacy,
      size: 8,
      leading: 1.35,
      maxLines: 9,
      color: gray,
      ...this.#own,
    };
    const number: Block = { text: label, size: 8, maxLines: 1, color: gray, ...this.#own };
    const height = this.#heightOf(note) + 4 + this.#heightOf(number);
    const top = page.height - margin + 8 - height;
    this.#draw(number, this.#draw(note, top) + 4);
    return top;
  }

  #drawTable(top: number, footerTop: number): void {
    const { direction, columns: headings, lineNumbers } = this.#content;
    const rows = Math.max(1, Math.floor((footerTop - 10 - top - headingHeight) / rowHeight));
    const bottom = top + headingHeight + rows * rowHeight;
    const edges = [0];
    for (const share of Object.values(columns)) edges.push(edges.at(-1)! + share * innerWidth);
    const xOf = (distance: number) =>
      direction === 'rtl' ? page.width - margin - distance : margin + distance;
    this.#document.lineWidth(0.6).strokeColor('#808080');
    for (const edge of edges) this.#stroke(xOf(edge), top, xOf(edge), bottom);
    for (let row = 0; row <= rows; row += 1) {
      const y = top + headingHeight + row * rowHeight;
      this.#stroke(margin, y, page.width - margin, y);
    }
    this.#stroke(margin, top, page.width - margin, top);
    for (const [index, name] of (Object.keys(columns) as (keyof typeof columns)[]).entries()) {
      const width = columns[name] * innerWidth - 8;
      const cell = {
        text: headings[name],
        size: 8,
        leading: 1.2,
        maxLines: 3,
        width,
        ...this.#own,
      };
      const space = (headingHeight - this.#heightOf(cell)) / 2;
      this.#draw({ ...cell, isBold: true }, top + space, edges[index]! + 4);
    }
    for (let row = 0; row < rows; row += 1) {
      const y = top + headingHeight + row * rowHeight + rowHeight / 2 - 5;
      const text = lineNumbers[this.#line++] ?? '';
      this.#draw({ text, size: 8, maxLines: 1, color: gray, ...this.#own }, y, 4);
    }
  }

  #stroke(x1: number, y1: number, x2: number, y2: number): void {
    this.#document.moveTo(x1, y1).lineTo(x2, y2).stroke();
  }

  get #codeBottom(): number {
    return margin + codeSize + this.#heightOf(this.#scanBlock) + 4;
  }

  get #scanBlock(): Block {
    return { text: this.#content.scan, size: 8, maxLines: 3, width: codeSize, ...this.#own };
  }

  /** The code has a border of four modules, as the standard wants it: the margin and the gap are wider. */
  #drawCode(url: string, scan: string): void {
    const modules = encodeQR(url, 'raw', { ecc: 'medium', border: 1 })
      .slice(1, -1)
      .map((row) => row.slice(1, -1));
    const side = codeSize / modules.length;
    const left = this.#content.direction === 'rtl' ? margin : page.width - margin - codeSize;
    this.#document.fillColor(black);
    for (const [row, line] of modules.entries()) {
      for (const [column, isDark] of line.entries()) {
        // A little overlap: some programs show lines between rectangles that touch.
        if (isDark)
          this.#document.rect(left + column * side, margin + row * side, side + 0.05, side + 0.05);
      }
    }
    this.#document.fill();
    if (scan) this.#draw(this.#scanBlock, margin + codeSize + 4, innerWidth - codeSize);
  }

  /** The direction of texts in the language of the sheet; those of people have their own. */
  get #own() {
    return { direction: this.#content.direction };
  }

  #lines({ text, width = innerWidth, ...options }: Block): Line[] {
    return this.#typesetter.layOut(text, { width, ...options });
  }

  #heightOf(block: Block): number {
    return this.#lines(block).length * block.size * (block.leading ?? 1.28);
  }

  /** Draws lines below each other, at a distance from the side where the sheet begins; returns where they end. */
  #draw(block: Block, top: number, distance = 0): number {
    const { size, leading = 1.28, width = innerWidth, color = black } = block;
    const isRtlSheet = this.#content.direction === 'rtl';
    const left = isRtlSheet ? page.width - margin - distance - width : margin + distance;
    let y = top;
    for (const line of this.#lines(block)) {
      this.#document.fillColor(color).strokeColor(color);
      const x = line.direction === 'rtl' ? left + width : left;
      this.#typesetter.draw(line, x, y + size * (leading / 2 + 0.36));
      y += size * leading;
    }
    return y;
  }
}

const headingHeight = 30;
