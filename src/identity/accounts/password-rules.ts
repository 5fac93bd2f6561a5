import commonPasswords from 'fxa-common-password-list';
import { validationFailed } from '../../platform/problems.ts';

interface Owner {
  email: string;
  display_name: string;
}

/**
 * Checks a new password against the 50,000 most common ones of at least 8 characters, which include all such of the
 * 100,000 most common, and against what is public about its owner.
 * @throws {Problem} validation-failed with code password_too_common
 */
export function requireUncommonPassword(
  password: string,
  { email, display_name }: Owner,
  field = 'password',
): void {
  const simplified = simplify(password);
  const isOwn = [email, email.slice(0, email.lastIndexOf('@')), display_name].some(
    (text) => simplify(text) === simplified,
  );
  if (!isOwn && !commonPasswords.test(password.toLowerCase())) return;
  throw validationFailed({
    field,
    message: isOwn
      ? 'must not be your name or email address'
      : 'is one of the most common passwords, which are the first to be guessed; choose another',
    code: 'password_too_common',
  });
}

const simplify = (text: string) => text.toLowerCase().replaceAll(/\s/g, '');
