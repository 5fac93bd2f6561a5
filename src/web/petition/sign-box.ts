import { attribute, html, type Html } from '../../platform/html.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { nextMilestone } from '../../campaigns/signatures/signatures.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { PendingSignatureInput } from '../../campaigns/pending-signatures/schema.ts';
import {
  formAlert,
  formFor,
  formToken,
  hiddenFields,
  actionForm,
  type Form,
  type FormState,
  type View,
} from '../site/site.ts';
import { pathTo, type Arrival } from './addresses.ts';
import { isOpen } from './head.ts';
import type { Parts } from './parts.ts';
import { captchaFields, captchaProblem } from './captcha.ts';
import { petitionTexts } from './texts.ts';

interface SignBox {
  parts: Parts;
  code: string | undefined;
  arrival: Arrival;
  /** Of the form, if it was refused. */
  state: FormState | undefined;
  /** It was signed just now, perhaps by a viewer who is not logged in. */
  justSigned: boolean;
}

/** The count, with the form that signs or withdraws. */
export function signBox(view: View, box: SignBox): Html {
  const { petition, hasSigned } = box.parts;
  const say = speak(petitionTexts, view.language);
  const { state } = box;
  const alert = state && formAlert(view, state, captchaProblem(view, state));
  return html`<section class="panel" id="sign" aria-label="${say('sign_title')}">
${counter(view, petition, box.code)}${alert}${canSign(box) && signForm(view, box)}${hasSigned && afterSigning(view, box)}</section>
`;
}

/** Whether the form that signs is shown. */
export const canSign = ({ parts, justSigned }: Pick<SignBox, 'parts' | 'justSigned'>): boolean =>
  parts.petition.status === 'active' && !parts.hasSigned && !justSigned;

/** The count and the goal; petition.js keeps them up to date. */
export function counter(view: View, petition: Petition, code: string | undefined): Html {
  const { language } = view;
  const { id, signature_count: count, signature_goal: goal, status } = petition;
  const say = speak(petitionTexts, language);
  const { count: forms, to_next: nextForms } = petitionTexts[language]!;
  const milestone = nextMilestone(count, goal);
  const texts = JSON.stringify({ forms, nextForms });
  const eventsPath = (isOpen(petition) || code !== undefined) && `/v1/petitions/${id}/events`;
  return html`<div data-counter${attribute('data-live', eventsPath)} data-texts="${texts}">
<p class="number count"><strong data-count>${say('count', { count })}</strong>${
    goal !== null && html` <span class="quiet">${view.say('of_goal', { goal })}</span>`
  }</p>
${
  goal !== null &&
  html`<progress class="progress" max="${goal}" value="${Math.min(count, goal)}" aria-label="${view.say('towards_goal')}"></progress>\n`
}${
    status === 'active' &&
    html`<p class="small quiet" data-next="${milestone}">${say('to_next', { count: milestone - count, milestone })}</p>\n`
  }<p class="notice" role="status" data-changed hidden>${say('changed')}</p>
</div>
`;
}

function signForm(view: View, { parts, code, arrival, state = { values: {} } }: SignBox): Html {
  const say = speak(petitionTexts, view.language);
  const { slug } = parts.petition;
  const { viewer } = view;
  const form = formFor(view, state, PendingSignatureInput);
  const isMoreOpen = ['comment', 'display_location'].some((name) => state.values[name]);
  return html`<form method="post" action="${pathTo(slug, { below: 'sign' })}">${formToken(view)}${hiddenFields({ access_code: code, ...arrival })}
${viewer ? html`<p>${say('sign_as', { name: html`<bdi>${viewer.user.display_name}</bdi>` })}</p>` : guestFields(view, form)}<details${attribute('open', isMoreOpen)}><summary>${say('more')}</summary>
${form.text('comment', { label: say('reason'), type: 'textarea' })}${form.text('display_location', {
    label: say('place'),
    hint: say('place_hint'),
    autocomplete: 'address-level2',
  })}${form.checkbox('is_anonymous', { label: say('anonymous') })}</details>
<button class="large">${say('sign')}</button>
${captchaFields(view)}</form>
${!viewer && html`<p class="small">${say('have_account', { login: logInLink(view, slug, code) })}</p>`}`;
}

function guestFields(view: View, form: Form<typeof PendingSignatureInput>): Html {
  const say = speak(petitionTexts, view.language);
  return html`
${form.text('display_name', { label: say('name'), autocomplete: 'name' })}${form.text('email', {
    label: say('email'),
    hint: say('email_hint'),
    autocomplete: 'email',
  })}`;
}

/** A link to the login, which leads back to the form. */
function logInLink(view: View, slug: string, code?: string): Html {
  const next = encodeURIComponent(pathTo(slug, { code, hash: 'sign' }));
  return html`<a href="/login?next=${next}">${view.say('log_in')}</a>`;
}

function afterSigning(view: View, { parts, code }: SignBox): Html {
  const say = speak(petitionTexts, view.language);
  const { slug } = parts.petition;
  const hasNoPassword = view.viewer?.user.password_hash === null;
  return html`<details><summary>${say('signed_before')}</summary>
${hasNoPassword && html`<p class="small"><a href="/forgot-password">${say('set_password')}</a></p>\n`}${actionForm(
    view,
    {
      action: pathTo(slug, { below: 'withdraw' }),
      hidden: { access_code: code },
      submit: say('withdraw'),
      buttonClass: 'second',
    },
  )}
</details>
`;
}
