import { html, type Html } from '../../platform/html.ts';
import { speak } from '../../platform/pages/catalog.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { PendingSignatureInput } from '../../campaigns/pending-signatures/schema.ts';
import {
  captchaFields,
  captchaProblem,
  reportProblem,
  formFor,
  formToken,
  hiddenFields,
  actionForm,
  type Form,
  type FormState,
  type View,
} from '../site/site.ts';
import { pathTo, type Arrival } from './addresses.ts';
import type { Parts } from './parts.ts';
import { privacyLine } from './privacy-line.ts';
import { petitionTexts } from './texts.ts';

interface SignBox {
  parts: Pick<Parts, 'petition' | 'hasSigned'>;
  code: string | undefined;
  arrival: Arrival;
  /** Of the form, if it was refused. */
  state: FormState | undefined;
}

/** The form that signs, or what a signer can do. Empty if neither applies. */
export function signBox(view: View, box: SignBox): Html | undefined {
  const say = speak(petitionTexts, view.language);
  const { state, parts } = box;
  if (state) reportProblem(view, state, captchaProblem(view, state));
  if (canSign(parts)) {
    return html`<section class="panel" id="sign"><h2>${say('sign_title')}</h2>
${signForm(view, box)}</section>
`;
  }
  return parts.hasSigned
    ? html`<section class="panel" id="sign">${afterSigning(view, box)}</section>
`
    : undefined;
}

/** Leads to the form, from the bottom of a phone's screen; petition.js hides it where the form is in view. */
export function signBar(view: View, { signature_count: count }: Petition): Html {
  const say = speak(petitionTexts, view.language);
  return html`<div class="sign-bar" data-sign-bar><strong class="number" data-count>${say('count', { count })}</strong>
<a class="button large" href="#sign">${say('sign')}</a></div>
`;
}

/** Whether the form that signs is shown. */
export const canSign = ({ petition, hasSigned }: SignBox['parts']): boolean =>
  petition.status === 'active' && !hasSigned;

function signForm(view: View, { parts, code, arrival, state = { values: {} } }: SignBox): Html {
  const say = speak(petitionTexts, view.language);
  const { slug } = parts.petition;
  const { viewer } = view;
  const form = formFor(view, state, PendingSignatureInput);
  return html`<form method="post" action="${pathTo(slug, { below: 'sign' })}">${formToken(view)}${hiddenFields({ access_code: code, ...arrival })}
${viewer ? html`<p>${say('sign_as', { name: html`<bdi>${viewer.user.display_name}</bdi>` })}</p>` : guestFields(view, form)}${placeField(view, form)}<p class="small quiet">${say('name_shown')}</p>
${form.checkbox('is_anonymous', { label: say('anonymous') })}${form.checkbox('updates', { label: say('news') })}<p class="small quiet consent">${say('consent', { host: hostOf(view) })}</p>
${privacyLine(view)}<button class="large">${say('sign')}</button>
${captchaFields(view, 'signature')}</form>
${!viewer && html`<p class="small">${say('have_account', { login: logInLink(view, slug, code) })}</p>`}`;
}

/** Who stores the signature. */
const hostOf = ({ ctx }: View) => html`<bdi>${new URL(ctx.config.baseUrl).host}</bdi>`;

function guestFields(view: View, form: Form<typeof PendingSignatureInput>): Html {
  const say = speak(petitionTexts, view.language);
  return html`
${form.text('display_name', { label: say('name'), autocomplete: 'name', enterKeyHint: 'next' })}${form.text(
    'email',
    {
      label: say('email'),
      hint: say('email_hint'),
      autocomplete: 'email',
      suggestsAddress: true,
      inputMode: 'email',
      enterKeyHint: 'next',
    },
  )}`;
}

const placeField = (view: View, form: Form<typeof PendingSignatureInput>): Html => {
  const say = speak(petitionTexts, view.language);
  return form.text('display_location', {
    label: say('place'),
    hint: say('place_hint'),
    autocomplete: 'address-level2',
    suggestsPlaces: true,
    enterKeyHint: 'done',
  });
};

/** A link to the login, which leads back to the form. */
function logInLink(view: View, slug: string, code?: string): Html {
  const next = encodeURIComponent(pathTo(slug, { code, hash: 'sign' }));
  return html`<a rel="nofollow" href="/login?next=${next}">${view.say('log_in')}</a>`;
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
