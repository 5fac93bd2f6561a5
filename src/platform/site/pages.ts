import type { Language } from '../pages/language.ts';
import type { SiteProfile } from './profile.ts';

/** Pages about the site itself, in the order in which they are linked. */
export const sitePageNames = [
  'about',
  'contact',
  'privacy',
  'terms',
  'imprint',
  'accessibility',
] as const;
export type SitePageName = (typeof sitePageNames)[number];

/** Versions in force of the pages that administrators wrote, by page and language. */
export type WrittenPages = ReadonlyMap<SitePageName, ReadonlyMap<Language, number>>;

/** Pages for which the software has no text, since only the operator knows what stands there. */
const withoutOwnText: ReadonlySet<SitePageName> = new Set<SitePageName>(['terms', 'imprint']);

export const hasOwnText = (page: SitePageName): boolean => !withoutOwnText.has(page);

/** What the settings of the site know of its pages. */
interface KnownPages {
  writtenPages: WrittenPages;
  current: Pick<SiteProfile, 'contactEmail' | 'defaultLanguage'>;
}

/** Whether everybody can read the page. That of a contact form needs an address that it writes to. */
export function isPageShown({ writtenPages, current }: KnownPages, page: SitePageName): boolean {
  if (writtenPages.has(page)) return true;
  return hasOwnText(page) && (page !== 'contact' || current.contactEmail !== null);
}

/** The first of these languages in which administrators wrote the page, else any; undefined if they did in none. */
export function writtenLanguage(
  { writtenPages, current }: KnownPages,
  page: SitePageName,
  wanted: Language,
): Language | undefined {
  const written = writtenPages.get(page);
  if (!written) return undefined;
  const [any] = written.keys();
  return [wanted, current.defaultLanguage].find((one) => written.has(one)) ?? any;
}
