import en from '../../../locales/en/administration.json' with { type: 'json' };
import { catalog, type Catalog } from '../../platform/pages/catalog.ts';

/** Texts of the pages of administrators. */
export const administrationTexts = catalog('administration', en);

export type AdministrationText =
  typeof administrationTexts extends Catalog<infer Name> ? Name : never;
