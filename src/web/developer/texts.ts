import clients from '../../../locales/en/developer-clients.json' with { type: 'json' };
import keys from '../../../locales/en/developer-keys.json' with { type: 'json' };
import webhooks from '../../../locales/en/developer-webhooks.json' with { type: 'json' };
import shared from '../../../locales/en/developer.json' with { type: 'json' };
import { catalog } from '../../platform/pages/catalog.ts';

/** Texts that developers' pages have in common. */
export const developerTexts = catalog('developer', shared);
export const clientTexts = catalog('developer-clients', clients);
export const keyTexts = catalog('developer-keys', keys);
export const webhookTexts = catalog('developer-webhooks', webhooks);
