import { Type } from 'typebox';
import { RegisterInput } from '../../identity/accounts/schema.ts';

/** Who opens an account by a petition. */
export const NewCreator = Type.Pick(RegisterInput, ['display_name', 'email']);
