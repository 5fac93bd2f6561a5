import { parseCookie } from 'cookie';
import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';

/** Languages of the pages, each by its own name. */
export const languageNames = {
  en: 'English',
  fr: 'Français',
  es: 'Español',
  de: 'Deutsch',
  ar: 'العربية',
} as const;
export type Language = keyof typeof languageNames;
export const languages = Object.keys(languageNames) as Language[];

export const isLanguage = (text: unknown): text is Language =>
  typeof text === 'string' && Object.hasOwn(languageNames, text);

export const directionOf = (language: Language): 'ltr' | 'rtl' =>
  language === 'ar' ? 'rtl' : 'ltr';

/** Under which a browser keeps the language that its user chose. */
export const languageCookie = 'language';

/** The language that the user chose, else the first of the browser's that there is, else English. */
export function languageOf(headers: IncomingHttpHeaders): Language {
  const chosen = parseCookie(headers.cookie ?? '')[languageCookie];
  if (isLanguage(chosen)) return chosen;
  const [wanted] = new Negotiator({ headers }).languages([...languages]);
  return isLanguage(wanted) ? wanted : 'en';
}
