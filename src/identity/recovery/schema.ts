import { Type } from 'typebox';
import { Email } from '../../platform/http/schema.ts';
import { MailedToken, Password } from '../accounts/schema.ts';

export const ForgotInput = Type.Object({ email: Email });

export const ResetInput = Type.Object({ token: MailedToken, password: Password });
