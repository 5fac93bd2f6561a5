import positions from '../../../locales/en/positions.json' with { type: 'json' };
import { catalog } from '../../platform/pages/catalog.ts';

/** The one name of each position, for all pages. */
export const positionTexts = catalog('positions', positions);
