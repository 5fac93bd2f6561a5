import en from '../../../locales/en/moderation.json' with { type: 'json' };
import { catalog } from '../../platform/pages/catalog.ts';

export const moderationTexts = catalog('moderation', en);

export type ModerationText = keyof (typeof moderationTexts)['en'];
