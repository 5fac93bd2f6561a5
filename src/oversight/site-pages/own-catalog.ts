import en from '../../../locales/en/own-pages.json' with { type: 'json' };
import { catalog } from '../../platform/pages/catalog.ts';

/** What the software says by itself on pages of the site. */
export const ownTexts = catalog('own-pages', en);

/** A text in which no character has a meaning in Markdown. */
export const escapeMarks = (text: string): string =>
  text.replaceAll(/[\\`*_[\]<>#!~]/g, String.raw`\$&`);
