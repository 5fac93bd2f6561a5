import en from '../../../locales/en/profiles.json' with { type: 'json' };
import { catalog } from '../../platform/pages/catalog.ts';

export const profileTexts = catalog('profiles', en);
