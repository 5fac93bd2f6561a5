import en from '../../../locales/en/decision-makers.json' with { type: 'json' };
import positions from '../../../locales/en/positions.json' with { type: 'json' };
import { catalog } from '../../platform/pages/catalog.ts';

/** Texts of the page that decision makers open by their link. */
export const portalTexts = catalog('decision-makers', en);

/** The one name of each position, for all pages. */
export const positionTexts = catalog('positions', positions);
