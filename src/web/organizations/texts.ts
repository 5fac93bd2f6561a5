import en from '../../../locales/en/organizations.json' with { type: 'json' };
import { catalog } from '../../platform/pages/catalog.ts';

export const organizationTexts = catalog('organizations', en);
