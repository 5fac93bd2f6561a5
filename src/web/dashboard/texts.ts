import checklist from '../../../locales/en/dashboard-checklist.json' with { type: 'json' };
import figures from '../../../locales/en/dashboard-figures.json' with { type: 'json' };
import makers from '../../../locales/en/dashboard-makers.json' with { type: 'json' };
import organizers from '../../../locales/en/dashboard-organizers.json' with { type: 'json' };
import petition from '../../../locales/en/dashboard-petition.json' with { type: 'json' };
import promotions from '../../../locales/en/dashboard-promotions.json' with { type: 'json' };
import updates from '../../../locales/en/dashboard-updates.json' with { type: 'json' };
import shared from '../../../locales/en/dashboard.json' with { type: 'json' };
import { catalog } from '../../platform/pages/catalog.ts';

/** Texts that the pages of the dashboard have in common, and those about a petition as a whole. */
export const dashboardTexts = catalog('dashboard', shared);
export const checklistTexts = catalog('dashboard-checklist', checklist);
export const figureTexts = catalog('dashboard-figures', figures);
export const makerTexts = catalog('dashboard-makers', makers);
export const organizerTexts = catalog('dashboard-organizers', organizers);
/** Texts of the forms for a petition's text and its details. */
export const petitionTexts = catalog('dashboard-petition', petition);
export const promotionTexts = catalog('dashboard-promotions', promotions);
export const updateTexts = catalog('dashboard-updates', updates);
