import en from '../../../locales/en/setup.json' with { type: 'json' };
import { catalog } from '../../platform/pages/catalog.ts';

/** Texts of the page on which a new instance is set up. */
export const setupTexts = catalog('setup', en);
