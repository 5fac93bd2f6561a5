import en from '../../../locales/en/embeds.json' with { type: 'json' };
import { catalog } from '../../platform/pages/catalog.ts';

/** Texts of the embedded page. The number stands before the noun. */
export const widgetTexts = catalog('embeds', en);
