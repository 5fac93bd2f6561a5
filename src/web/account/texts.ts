import en from '../../../locales/en/account.json' with { type: 'json' };
import { catalog } from '../../platform/pages/catalog.ts';

export const accountTexts = catalog('account', en);
