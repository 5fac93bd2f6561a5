import { html, type Html } from '../../platform/html.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { formatDay, speak } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';
import { showOwnPetition } from '../../campaigns/petitions/read.ts';
import {
  listPromotions,
  startPromotion,
  type PaymentProvider,
} from '../../reach/payments/payments.ts';
import { PromotionInput, type Payment } from '../../reach/payments/schema.ts';
import {
  checkInput,
  doneNotice,
  field,
  formAlert,
  formToken,
  nextLink,
  pageOf,
  selectField,
  textOf,
  type Fields,
  type FormState,
  type OwnView,
} from '../site/site.ts';
import { petitionPage, petitionPath } from './frame.ts';
import { promotionTexts } from './texts.ts';

/** Currencies that the form offers, all with hundredths; others can be paid by the API. */
const currencies = ['EUR', 'USD', 'GBP', 'CHF', 'CAD', 'AUD', 'MXN', 'BRL', 'INR', 'ZAR', 'NGN'];
const hundredth = 100;

/** What was paid for promoting a petition, and a form for more. */
export async function promotionPage(
  view: OwnView,
  ref: string,
  query: Record<string, string>,
  state: FormState = { values: {} },
): Promise<RawAnswer> {
  const { ctx, viewer } = view;
  const say = speak(promotionTexts, view.language);
  const petition = await showOwnPetition(ctx, viewer.caller, ref);
  const page = await listPromotions(ctx, viewer.caller, ref, pageOf(query));
  const possible = petition.status === 'active' && petition.visibility === 'public';
  return petitionPage(view, petition, {
    current: 'promote',
    main: html`${doneNotice(say, query.done, ['done_begun'])}<p>${say('intro')}</p>
${petition.promoted && html`<p class="notice">${say('runs')}</p>\n`}${formAlert(view, state)}${
      possible
        ? html`<form class="panel" method="post" action="${petitionPath(petition, 'promote')}">${formToken(view)}
${field(view, state, {
  name: 'amount',
  label: say('amount'),
  hint: say('amount_hint'),
  inputMode: 'decimal',
  parts: hundredth,
  required: true,
  maxLength: 12,
})}${selectField(view, state, {
            name: 'currency',
            label: say('currency'),
            options: currencies.map((value) => ({ value, label: nameOf(view.language, value) })),
          })}<button>${say('start')}</button>
</form>`
        : html`<p>${say('not_now')}</p>`
    }
<h2>${say('payments')}</h2>
${page.items.length === 0 ? html`<p>${say('none')}</p>` : payments(view, page.items)}${nextLink(view, page)}`,
  });
}

function payments({ language }: OwnView, items: Payment[]): Html {
  const say = speak(promotionTexts, language);
  return html`<div class="scroll"><table><thead><tr><th scope="col">${say('begun')}</th><th scope="col" class="number">${say('amount')}</th><th scope="col">${say('status')}</th></tr></thead>
<tbody>
${items.map(
  ({ created_at: at, status, checkout_url: url, ...payment }) =>
    html`<tr><td>${formatDay(language, new Date(at))}</td><td class="number">${money(language, payment)}</td><td>${say(`status_${status}`)} ${
      status === 'pending' && url !== undefined && html`<a href="${url}">${say('pay')}</a>`
    }</td></tr>\n`,
)}</tbody></table></div>\n`;
}

const nameOf = (language: Language, currency: string) =>
  `${currency} · ${new Intl.DisplayNames(language, { type: 'currency' }).of(currency)}`;

/** An amount in the currency's smallest unit, as people write it. */
function money(language: Language, { amount, currency }: Pick<Payment, 'amount' | 'currency'>) {
  const format = new Intl.NumberFormat(language, { style: 'currency', currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

/** Begins a payment. */
export async function promote(
  { ctx, viewer, header }: OwnView,
  provider: PaymentProvider,
  ref: string,
  fields: Fields,
): Promise<RawAnswer> {
  const input = checkInput(PromotionInput, {
    amount: amountIn(textOf(fields, 'amount')),
    currency: textOf(fields, 'currency'),
  });
  const { checkout_url: url } = await startPromotion(ctx, provider, viewer.caller, ref, input);
  return redirectTo(header, url ?? `${petitionPath({ id: ref }, 'promote')}?done=begun`, 303);
}

/** Hundredths in what was typed, with a point or a comma before them; else the text, to be refused. */
function amountIn(text: string): number | string {
  const [, whole, part = ''] = /^(\d{1,8})(?:[.,](\d{1,2}))?$/.exec(text) ?? [];
  return whole === undefined ? text : Number(whole) * hundredth + Number(part.padEnd(2, '0'));
}
