import pictures from '../../../locales/en/site-pictures.json' with { type: 'json' };
import site from '../../../locales/en/site.json' with { type: 'json' };
import { catalog, joinCatalogs, type Catalog } from '../../platform/pages/catalog.ts';
import { failureTexts } from '../../platform/pages/texts.ts';

/** Texts that all pages have in common: frame, forms and failures. */
export const siteTexts = joinCatalogs(failureTexts, catalog('site', site));

export type SiteText = typeof siteTexts extends Catalog<infer Name> ? Name : never;

/** Texts of forms that take a picture. */
export const pictureTexts = catalog('site-pictures', pictures);
