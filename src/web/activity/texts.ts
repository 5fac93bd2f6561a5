import en from '../../../locales/en/activity.json' with { type: 'json' };
import { catalog } from '../../platform/pages/catalog.ts';

export const activityTexts = catalog('activity', en);
