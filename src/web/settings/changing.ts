import { requestPhoneCode, updateAccount, verifyPhone } from '../../identity/accounts/accounts.ts';
import { PhoneCodeInput, PhoneInput, UserUpdateInput } from '../../identity/accounts/schema.ts';
import { requestReset } from '../../identity/recovery/recovery.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { changePreferences } from '../../reach/notifications/notifications.ts';
import {
  checkInput,
  digitsIn,
  given,
  textOf,
  withOurDigits,
  type Fields,
  type OwnView,
} from '../site/site.ts';
import { preferencesIn } from './preferences.ts';

const doneWith = ({ header }: OwnView, done: string, section: string): RawAnswer =>
  redirectTo(header, `/settings?done=${done}#${section}`, 303);

/** Saves name and text of the profile. */
export async function changeProfile(view: OwnView, fields: Fields): Promise<RawAnswer> {
  const input = checkInput(UserUpdateInput, {
    display_name: textOf(fields, 'display_name'),
    bio: textOf(fields, 'bio') || null,
  });
  await updateAccount(view.ctx, view.viewer.caller, input);
  return doneWith(view, 'profile_saved', 'profile');
}

/** Takes the picture off the profile. */
export async function removePicture(view: OwnView): Promise<RawAnswer> {
  await updateAccount(view.ctx, view.viewer.caller, { avatar_url: null });
  return doneWith(view, 'profile_saved', 'picture');
}

/** Lets a mail go out with the link that sets a new password. */
export async function sendPasswordLink(view: OwnView): Promise<RawAnswer> {
  await requestReset(view.ctx, view.viewer.user.email);
  return doneWith(view, 'link_sent', 'email');
}

/** Lets a text message with a code go to the phone. */
export async function sendCode(view: OwnView, fields: Fields): Promise<RawAnswer> {
  // As people write numbers: with spaces and the like, and 00 for +.
  const phone = withOurDigits(textOf(fields, 'phone'))
    .replaceAll(/[\s().\-/]/g, '')
    .replace(/^00/, '+');
  await requestPhoneCode(
    view.ctx,
    view.viewer.caller,
    checkInput(PhoneInput, given({ phone })).phone,
  );
  return doneWith(view, 'code_sent', 'phone');
}

/** Confirms the phone by the code. */
export async function confirmPhone(view: OwnView, fields: Fields): Promise<RawAnswer> {
  const code = digitsIn(textOf(fields, 'code'));
  await verifyPhone(view.ctx, view.viewer.caller, checkInput(PhoneCodeInput, given({ code })).code);
  return doneWith(view, 'phone_confirmed', 'phone');
}

/** Saves what the viewer wants to be told of. */
export async function savePreferences(view: OwnView, fields: Fields): Promise<RawAnswer> {
  await changePreferences(view.ctx, view.viewer.caller, preferencesIn(fields));
  return doneWith(view, 'preferences_saved', 'notifications');
}
