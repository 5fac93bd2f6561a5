import en from '../../../locales/en/petition.json' with { type: 'json' };
import { catalog } from '../../platform/pages/catalog.ts';

export const petitionTexts = catalog('petition', en);
