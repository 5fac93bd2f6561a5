import type { Tx } from '../../platform/db.ts';
import { plainText } from '../../platform/pages/catalog.ts';
import { languages, type Language } from '../../platform/pages/language.ts';
import { accountMailTexts } from './account-mail.ts';
import * as queries from './queries.ts';
import type { UserRow } from './queries.ts';

/** Returns the name of an account whose owner has given none yet. */
export const unnamed = (language: Language): string =>
  plainText(accountMailTexts, language, 'unnamed');

/** Gives a user the profile and role of an account that was theirs. Of what they have themselves, that stays. */
export const adoptProfile = (
  tx: Tx,
  userId: string,
  profile: Pick<UserRow, 'display_name' | 'bio' | 'avatar_url' | 'role'>,
): Promise<void> => queries.adoptProfile(tx, userId, profile, languages.map(unnamed));
