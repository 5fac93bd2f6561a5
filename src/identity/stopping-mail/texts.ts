import en from '../../../locales/en/stopping-mail.json' with { type: 'json' };
import { catalog } from '../../platform/pages/catalog.ts';

/** Texts of the page by which people end mail. */
export const stoppingTexts = catalog('stopping-mail', en);
