import en from '../../../locales/en/settings.json' with { type: 'json' };
import { catalog } from '../../platform/pages/catalog.ts';

export const settingsTexts = catalog('settings', en);
