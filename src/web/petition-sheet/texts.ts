import en from '../../../locales/en/petition-sheet.json' with { type: 'json' };
import { catalog } from '../../platform/pages/catalog.ts';

export const sheetTexts = catalog('petition-sheet', en);
