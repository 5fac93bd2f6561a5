import { attribute, html, type Html } from '../../platform/html.ts';
import { speak, type Say } from '../../platform/pages/catalog.ts';
import { nextMilestone } from '../../campaigns/signatures/signatures.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { checkbox, field, formAlert, formToken, type FormState, type View } from '../site/site.ts';
import { pathTo, type Arrival } from './addresses.ts';
import { isOpen } from './head.ts';
import type { Parts } from './parts.ts';
import { proofFault, proofState } from './proof.ts';
import { petitionTexts } from './texts.ts';

interface SignBox {
  parts: Parts;
  code: string | undefined;
  arrival: Arrival;
  /** What was typed, where the form is shown again. */
  state: FormState | undefined;
  /** It was signed just now, perhaps by somebody who is not logged in. */
  justSigned: boolean;
}

/** The count, and what people can do about it. */
export function signBox(view: View, box: SignBox): Html {
  const { petition, signed } = box.parts;
  const say = speak(petitionTexts, view.language);
  const { state } = box;
  const sentForm = state && formAlert(view, state, proofFault(view, state));
  return html`<section class="panel" id="sign" aria-label="${say('sign_title')}">
${counter(view, petition, box.code)}${sentForm}${canSign(box) && signForm(view, box)}${signed && afterSigning(view, box)}</section>
`;
}

/** Whether the form that signs is shown. */
export const canSign = ({ parts, justSigned }: Pick<SignBox, 'parts' | 'justSigned'>): boolean =>
  parts.petition.status === 'active' && !parts.signed && !justSigned;

/** The count with its way to the goal; the script keeps it up to date. */
export function counter(view: View, petition: Petition, code: string | undefined): Html {
  const { language } = view;
  const { id, signature_count: count, signature_goal: goal, status } = petition;
  const say = speak(petitionTexts, language);
  const { count: forms, to_next: nextForms } = petitionTexts[language]!;
  const milestone = nextMilestone(count, goal);
  const texts = JSON.stringify({ forms, nextForms });
  const live = (isOpen(petition) || code !== undefined) && `/v1/petitions/${id}/events`;
  return html`<div data-counter${attribute('data-live', live)} data-texts="${texts}">
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
  const more = ['comment', 'display_location'].some((name) => state.values[name]);
  return html`<form method="post" action="${pathTo(slug, { below: 'sign' })}">${formToken(view)}${hidden({ access_code: code, ...arrival })}
${viewer ? html`<p>${say('sign_as', { name: html`<bdi>${viewer.user.display_name}</bdi>` })}</p>` : whoSigns(view, say, state)}<details${attribute('open', more)}><summary>${say('more')}</summary>
${field(view, state, { name: 'comment', label: say('reason'), type: 'textarea', maxLength: 500 })}${field(
    view,
    state,
    {
      name: 'display_location',
      label: say('place'),
      hint: say('place_hint'),
      maxLength: 200,
      autocomplete: 'address-level2',
    },
  )}${checkbox(state, { name: 'is_anonymous', label: say('anonymous') })}</details>
<button class="large">${say('sign')}</button>
${proofState(view)}</form>
${!viewer && html`<p class="small">${say('have_account', { login: logInLink(view, slug, code) })}</p>`}`;
}

const whoSigns = (view: View, say: Say<'name' | 'email' | 'email_hint'>, state: FormState) => html`
${field(view, state, {
  name: 'display_name',
  label: say('name'),
  required: true,
  maxLength: 100,
  autocomplete: 'name',
})}${field(view, state, {
  name: 'email',
  label: say('email'),
  hint: say('email_hint'),
  type: 'email',
  required: true,
  maxLength: 254,
  autocomplete: 'email',
})}`;

/** Leads to the login, and from there back to the form. */
export function logInLink(view: View, slug: string, code?: string): Html {
  const next = encodeURIComponent(pathTo(slug, { code, hash: 'sign' }));
  return html`<a href="/login?next=${next}">${view.say('log_in')}</a>`;
}

function afterSigning(view: View, { parts, code }: SignBox): Html {
  const say = speak(petitionTexts, view.language);
  const { slug } = parts.petition;
  const withoutPassword = view.viewer?.user.password_hash === null;
  return html`<details><summary>${say('signed_before')}</summary>
${withoutPassword && html`<p class="small"><a href="/forgot-password">${say('set_password')}</a></p>\n`}<form method="post" action="${pathTo(slug, { below: 'withdraw' })}">${formToken(view)}${hidden({ access_code: code })}
<button class="second">${say('withdraw')}</button></form>
</details>
`;
}

/** Fields that nobody sees, those without a value left out. */
export const hidden = (values: Record<string, string | undefined>): Html[] =>
  Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : html`<input type="hidden" name="${name}" value="${value}">`,
  );
