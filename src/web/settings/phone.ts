import { requestPhoneCode, verifyPhone } from '../../identity/accounts/accounts.ts';
import { PhoneCodeInput, PhoneInput } from '../../identity/accounts/schema.ts';
import { html, type Html } from '../../platform/html.ts';
import { speak } from '../../platform/pages/catalog.ts';
import {
  digitsIn,
  formFor,
  postForm,
  readForm,
  stateOf,
  toAsciiDigits,
  type FormHandler,
  type FormState,
  type OwnView,
  type PageRequest,
} from '../site/site.ts';
import { settingsTexts } from './texts.ts';

/** Whether codes reach phones: outside production they are files, and in production no provider of text messages exists. */
export const canSendTexts = ({ ctx, viewer }: OwnView): boolean =>
  ctx.site.current.modules.phone &&
  (!ctx.config.production || viewer.user.phone_verified_at !== null);

/** The viewer's phone, and the forms for confirming one: `phone` and `code`. */
export function phoneSection(view: OwnView, request: PageRequest): Html {
  const say = speak(settingsTexts, view.language);
  const { user } = view.viewer;
  const isConfirmed = user.phone_verified_at !== null;
  const state = stateOf(request, 'phone');
  // A code may have been sent.
  const asksForCode = request.query.done === 'code_sent' || request.refused?.name === 'code';
  const numberForm = phoneForm(view, state);
  return html`${
    isConfirmed
      ? html`<p><bdi dir="ltr">${user.phone}</bdi> <span class="badge good">${say('confirmed')}</span></p>`
      : html`<p>${say('phone_lead')}</p>`
  }
${asksForCode && codeForm(view, stateOf(request, 'code'))}${
    isConfirmed && !state.problem
      ? html`<details><summary>${say('other_phone')}</summary>${numberForm}</details>`
      : numberForm
  }`;
}

function phoneForm(view: OwnView, state: FormState): Html {
  const say = speak(settingsTexts, view.language);
  return postForm(view, state, {
    action: '/settings/phone',
    fields: formFor(view, state, PhoneInput).text('phone', {
      // The section has the shorter one.
      id: 'phone_number',
      label: say('phone_number'),
      hint: say('phone_hint'),
      type: 'tel',
      autocomplete: 'tel',
      maxLength: 30,
    }),
    submit: say('send_code'),
    buttonClass: 'second',
  });
}

function codeForm(view: OwnView, state: FormState): Html {
  const say = speak(settingsTexts, view.language);
  return postForm(view, state, {
    action: '/settings/phone/code',
    fields: formFor(view, state, PhoneCodeInput).text('code', { label: say('code'), digits: 6 }),
    submit: say('confirm'),
  });
}

/** Sends a code to the phone in a text message. */
export const sendCode: FormHandler = async (view, { fields }) => {
  const { phone } = readForm(PhoneInput, fields, ['phone'], { read: { phone: phoneNumberIn } });
  await requestPhoneCode(view.ctx, view.viewer.caller, phone);
  return '/settings?done=code_sent#phone';
};

/** A phone number without spaces and punctuation, with + for 00. */
const phoneNumberIn = (text: string): string | undefined =>
  toAsciiDigits(text)
    .replaceAll(/[\s().\-/]/g, '')
    .replace(/^00/, '+') || undefined;

/** Confirms the phone with the code. */
export const confirmPhone: FormHandler = async (view, { fields }) => {
  const { code } = readForm(PhoneCodeInput, fields, ['code'], {
    read: { code: (text) => digitsIn(text) || undefined },
  });
  await verifyPhone(view.ctx, view.viewer.caller, code);
  return '/settings?done=phone_confirmed#phone';
};
