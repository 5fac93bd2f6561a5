import en from '../../../locales/en/organizers-mail.json' with { type: 'json' };
import { catalog } from '../../platform/pages/catalog.ts';

export const organizersMailTexts = catalog('organizers-mail', en);
