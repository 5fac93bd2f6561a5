import en from '../../../locales/en/pending-signatures.json' with { type: 'json' };
import { catalog } from '../../platform/pages/catalog.ts';

/** The mail by which a signature is confirmed. It repeats nothing that was typed into the form. */
export const mailTexts = catalog('pending-signatures', en);
