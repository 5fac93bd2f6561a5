import en from '../../../locales/en/charts.json' with { type: 'json' };
import { catalog } from '../../platform/pages/catalog.ts';

export const chartTexts = catalog('charts', en);
