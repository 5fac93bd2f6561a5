import { html, type Content } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import type { Asset } from '../../platform/pages/assets.ts';
import { speak, type Say } from '../../platform/pages/catalog.ts';
import type { SiteProfile } from '../../platform/site/profile.ts';
import { noIndex, sitePage, tabs, type OwnView } from '../site/site.ts';
import { administrationTexts, type AdministrationText } from './texts.ts';

export const sayOf = ({ language }: OwnView): Say<AdministrationText> =>
  speak(administrationTexts, language);

/** Parts of the pages of administrators. */
const sections = [
  ['settings', '/admin/site'],
  ['pages', '/admin/site/pages'],
  ['categories', '/admin/site/categories'],
  ['changes', '/admin/site/changes'],
  ['health', '/admin/health'],
] as const;
export type AdministrationSection = (typeof sections)[number][0];

interface AdministrationPage {
  section: AdministrationSection;
  title: Content;
  main: Content;
  /** The site as a preview shows it. */
  site?: SiteProfile;
  status?: number;
  scripts?: Asset[];
}

/** A page with the tabs of administrators. */
export function administrationPage(
  view: OwnView,
  { section, title, main, ...more }: AdministrationPage,
): Promise<RawAnswer> {
  const say = sayOf(view);
  const entries = sections.map(([name, href]) => ({
    href,
    label: say(name),
    isCurrent: name === section,
  }));
  return sitePage(view, {
    ...more,
    title: html`${title} · ${say('title')}`,
    width: 'wide',
    head: noIndex,
    main: html`<nav aria-label="${say('title')}">${tabs(entries)}</nav>
<h1>${title}</h1>
${main}`,
  });
}
