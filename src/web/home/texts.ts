import en from '../../../locales/en/home.json' with { type: 'json' };
import { catalog } from '../../platform/pages/catalog.ts';

export const homeTexts = catalog('home', en);
