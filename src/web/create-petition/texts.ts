import en from '../../../locales/en/create-petition.json' with { type: 'json' };
import { catalog } from '../../platform/pages/catalog.ts';

export const createPetitionTexts = catalog('create-petition', en);
