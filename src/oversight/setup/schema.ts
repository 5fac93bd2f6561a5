import { Type, type Static } from 'typebox';
import { RegisterInput } from '../../identity/accounts/schema.ts';
import { SiteUpdate } from '../site-settings/schema.ts';

/** The first administrator, and what the site is called and looks like, as far as that is decided. */
export const SetupInput = Type.Object({ ...RegisterInput.properties, ...SiteUpdate.properties });
export type SetupInput = Static<typeof SetupInput>;
