import { html, type Content, type Html } from '../html.ts';
import type { Language } from './language.ts';

/** Names of languages; undefined for tags that name none. */
const registered = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

interface TextLanguage {
  /** The primary subtag. */
  primary: string;
  direction: 'ltr' | 'rtl';
}

const textLanguages = new Map<string, TextLanguage>();

/** A language by its tag; undefined for `und`, null and tags that name no language. */
function textLanguageOf(tag: string | null): TextLanguage | undefined {
  if (tag === null) return undefined;
  const read = textLanguages.get(tag) ?? readTextLanguage(tag);
  if (read) textLanguages.set(tag, read);
  return read;
}

function readTextLanguage(tag: string): TextLanguage | undefined {
  try {
    const locale = new Intl.Locale(tag);
    if (locale.language === 'und' || registered.of(tag) === undefined) return undefined;
    const { direction } = locale.getTextInfo();
    return { primary: locale.language, direction: direction === 'rtl' ? 'rtl' : 'ltr' };
  } catch {
    return undefined;
  }
}

/**
 * The attributes of an element with a text that people wrote: its direction, and its language if that is known and
 * another than the page's (WCAG 3.1.2). The direction of a text without a known language follows its first letters.
 */
export function languageAttributes(textLanguage: string | null, pageLanguage: Language): Html {
  const known = textLanguageOf(textLanguage);
  if (!known) return html` dir="auto"`;
  return html`${isOther(known, pageLanguage) && html` lang="${textLanguage}"`} dir="${known.direction}"`;
}

const isOther = ({ primary }: TextLanguage, pageLanguage: Language): boolean =>
  primary !== textLanguageOf(pageLanguage)!.primary;

/** As `languageAttributes`, in a page of another site, whose language is unknown. */
export function foreignPageAttributes(textLanguage: string | null): string {
  const known = textLanguageOf(textLanguage);
  return known ? ` lang="${textLanguage}" dir="${known.direction}"` : '';
}

/** A text of people inside a sentence of the page, isolated from its direction, as `languageAttributes`. */
export const foreignText = (
  text: string,
  textLanguage: string | null,
  pageLanguage: Language,
): Html => html`<bdi${languageAttributes(textLanguage, pageLanguage)}>${text}</bdi>`;

/** A text that people wrote, as it stands in a text of the service. */
export interface WrittenText {
  text: string;
  /** Null if unknown. */
  language: string | null;
}

/** A text of the service, with the language of each text of people in it that is another than the page's. */
export function markWrittenTexts(
  text: string,
  written: readonly WrittenText[],
  pageLanguage: Language,
): Content {
  const [first, ...others] = written;
  if (!first) return text;
  const known = textLanguageOf(first.language);
  const at = known && first.text && isOther(known, pageLanguage) ? text.indexOf(first.text) : -1;
  if (at < 0) return markWrittenTexts(text, others, pageLanguage);
  return [
    markWrittenTexts(text.slice(0, at), others, pageLanguage),
    foreignText(first.text, first.language, pageLanguage),
    markWrittenTexts(text.slice(at + first.text.length), written, pageLanguage),
  ];
}
