/** Everything that a sheet shows, in one language: what a worker thread is given. */
export interface SheetContent {
  /** BCP 47. */
  language: string;
  direction: 'ltr' | 'rtl';
  /** Of the document, for readers of PDF files. */
  documentTitle: string;
  /** The site, and that this is a sheet for signatures on paper. */
  heading: string;
  /** Of a petition that is not published. */
  warning: string | null;
  title: string;
  /** Who asks whom. */
  by: string[];
  /** The start of what it asks. */
  text: string;
  /** The version of the text, and where the whole of it is. */
  source: string;
  /** Of the petition's page. */
  url: string;
  /** Says what the QR code is for. */
  scan: string;
  columns: Record<'number' | 'name' | 'town' | 'contact' | 'signature', string>;
  /** Who collects the signatures, and what for. */
  privacy: string;
  /** A page each, with its number. */
  pages: string[];
  /** Numbers of lines, in the digits of the language. */
  lineNumbers: string[];
}

/** More than fit on all pages. */
export const maxLineNumbers = 200;
