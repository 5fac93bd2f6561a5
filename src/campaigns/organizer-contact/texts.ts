import en from '../../../locales/en/organizer-mail.json' with { type: 'json' };
import { catalog } from '../../platform/pages/catalog.ts';

export const organizerMailTexts = catalog('organizer-mail', en);
