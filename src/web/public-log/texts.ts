import en from '../../../locales/en/public-log.json' with { type: 'json' };
import { catalog } from '../../platform/pages/catalog.ts';

export const publicLogTexts = catalog('public-log', en);
