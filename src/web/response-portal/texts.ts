import en from '../../../locales/en/decision-makers.json' with { type: 'json' };
import { catalog } from '../../platform/pages/catalog.ts';

/** Texts of the pages that decision makers open by their link. */
export const portalTexts = catalog('decision-makers', en);
