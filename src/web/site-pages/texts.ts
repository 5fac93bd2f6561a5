import en from '../../../locales/en/site-pages.json' with { type: 'json' };
import { catalog } from '../../platform/pages/catalog.ts';

export const sitePageTexts = catalog('site-pages', en);
