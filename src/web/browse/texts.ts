import en from '../../../locales/en/browse.json' with { type: 'json' };
import { catalog } from '../../platform/pages/catalog.ts';

export const browseTexts = catalog('browse', en);
