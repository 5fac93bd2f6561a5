import { parseCookie } from 'cookie';
import { readdirSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';
import { cookies } from '../cookies.ts';

/** A language of the pages: the BCP 47 tag that names its folder in locales/. The mark exists in types only. */
export type Language = 'en' | (string & { readonly isLanguage: true });

export const localesFolder = new URL('../../../locales/', import.meta.url);

const tags = readdirSync(localesFolder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .toSorted();

/** Lists of languages begin with these. English is first, so that `Accept-Language: *` selects it. */
const firstTags = ['en', 'fr', 'es', 'de', 'ar'];

export const languages = [...new Set([...firstTags, ...tags])].filter((tag) =>
  tags.includes(tag),
) as Language[];

const known = new Map<unknown, { name: string; direction: 'ltr' | 'rtl' }>(
  languages.map((tag) => {
    const name = new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag;
    const { direction } = new Intl.Locale(tag).getTextInfo();
    return [
      tag,
      {
        name: name.charAt(0).toLocaleUpperCase(tag) + name.slice(1),
        direction: direction === 'rtl' ? 'rtl' : 'ltr',
      },
    ];
  }),
);

export const isLanguage = (text: unknown): text is Language => known.has(text);

/** The language's name in itself. */
export const languageName = (language: Language): string => known.get(language)!.name;

export const directionOf = (language: Language): 'ltr' | 'rtl' => known.get(language)!.direction;

/** Cookie with the language that the user chose. */
export const languageCookie = cookies.language.name;

/** Languages of the pages, and the one for readers who ask for none of them. */
export interface OfferedLanguages {
  languages: readonly Language[];
  defaultLanguage: Language;
}

/** The language that the user chose, else the first of the browser's that the pages have, else the default. */
export function languageOf(
  headers: IncomingHttpHeaders,
  { languages: offered, defaultLanguage }: OfferedLanguages,
): Language {
  const chosen = parseCookie(headers.cookie ?? '')[languageCookie];
  if (isLanguage(chosen) && offered.includes(chosen)) return chosen;
  // The default is first, so that `Accept-Language: *` selects it.
  const [wanted] = new Negotiator({ headers }).languages([
    ...new Set([defaultLanguage, ...offered]),
  ]);
  return isLanguage(wanted) ? wanted : defaultLanguage;
}
