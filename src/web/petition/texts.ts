import en from '../../../locales/en/petition.json' with { type: 'json' };
import { catalog, type Catalog } from '../../platform/pages/catalog.ts';

export const petitionTexts = catalog('petition', en);

export type PetitionText = typeof petitionTexts extends Catalog<infer Name> ? Name : never;
