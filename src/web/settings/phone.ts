import { html, type Html } from '../../platform/html.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { field, formAlert, formToken, type FormState, type OwnView } from '../site/site.ts';
import { settingsTexts } from './texts.ts';

interface PhoneForms {
  phone: FormState;
  code: FormState;
  /** A text message with a code may be there. */
  asksForCode: boolean;
}

/** The viewer's phone, and how to confirm one. */
export function phoneSection(view: OwnView, { phone, code, asksForCode }: PhoneForms): Html {
  const say = speak(settingsTexts, view.language);
  const { user } = view.viewer;
  const isConfirmed = user.phone_verified_at !== null;
  const asking = html`${formAlert(view, phone)}<form method="post" action="/settings/phone">${formToken(view)}
${field(view, phone, {
  name: 'phone',
  label: say('phone_number'),
  hint: say('phone_hint'),
  type: 'tel',
  autocomplete: 'tel',
  maxLength: 30,
  required: true,
})}<p><button class="second">${say('send_code')}</button></p>
</form>`;
  return html`${
    isConfirmed
      ? html`<p><bdi dir="ltr">${user.phone}</bdi> <span class="badge good">${say('confirmed')}</span></p>`
      : html`<p>${say('phone_lead')}</p>`
  }
${asksForCode && codeForm(view, code)}${
    isConfirmed && !phone.problem
      ? html`<details><summary>${say('other_phone')}</summary>${asking}</details>`
      : asking
  }`;
}

function codeForm(view: OwnView, state: FormState): Html {
  const say = speak(settingsTexts, view.language);
  return html`${formAlert(view, state)}<form method="post" action="/settings/phone/code">${formToken(view)}
${field(view, state, {
  name: 'code',
  label: say('code'),
  digits: 6,
  required: true,
})}<p><button>${say('confirm')}</button></p>
</form>`;
}
