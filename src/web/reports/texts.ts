import en from '../../../locales/en/reports.json' with { type: 'json' };
import { catalog } from '../../platform/pages/catalog.ts';

export const reportTexts = catalog('reports', en);
