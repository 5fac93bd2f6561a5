import { html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { formatDay, speak } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';
import { getOwnPetition } from '../../campaigns/petitions/read.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import {
  listPromotions,
  startPromotion,
  type PaymentProvider,
} from '../../reach/payments/payments.ts';
import { PromotionInput, type Payment } from '../../reach/payments/schema.ts';
import {
  doneNotice,
  formFor,
  nextLink,
  pageOf,
  postForm,
  readForm,
  stateOf,
  type FormHandler,
  type FormState,
  type OwnView,
  type PageHandler,
  type Site,
} from '../site/site.ts';
import { petitionPage, petitionPath, petitionRoute } from './dashboard-layout.ts';
import { promotionTexts } from './texts.ts';

type Ref = { id: string };

/** Paid promotion of a petition. */
export const promotionRoutes = (site: Site, provider: PaymentProvider): Route[] =>
  site.page({
    id: 'showPromotion',
    ...petitionRoute('/promotion'),
    show: promotionPage,
    forms: { payment: { id: 'submitPromotion', act: promote(provider) } },
  });

/** Currencies that the form offers, all with hundredths. The API takes others too. */
const currencies = ['EUR', 'USD', 'GBP', 'CHF', 'CAD', 'AUD', 'MXN', 'BRL', 'INR', 'ZAR', 'NGN'];
const hundredthsPerUnit = 100;

/** The payments for promoting a petition, and a form for another one. */
const promotionPage: PageHandler<Ref> = async (view, request) => {
  const { ctx, viewer } = view;
  const say = speak(promotionTexts, view.language);
  const petition = await getOwnPetition(ctx, viewer.caller, request.params.id);
  const page = await listPromotions(ctx, viewer.caller, request.params.id, pageOf(request.query));
  const canPromote = petition.status === 'active' && petition.visibility === 'public';
  const state = stateOf(request, 'payment');
  return petitionPage(view, petition, {
    current: 'promote',
    main: html`${doneNotice(say, request.query.done, ['done_begun'])}<p>${say('intro')}</p>
${petition.promoted && html`<p class="notice">${say('runs')}</p>\n`}${
      canPromote ? paymentForm(view, state, petition) : html`<p>${say('not_now')}</p>`
    }
<h2>${say('payments')}</h2>
${page.items.length === 0 ? html`<p>${say('none')}</p>` : payments(view, page.items)}${nextLink(view, page)}`,
  });
};

function paymentForm(view: OwnView, state: FormState, petition: Petition): Html {
  const say = speak(promotionTexts, view.language);
  const form = formFor(view, state, PromotionInput);
  return postForm(view, state, {
    action: petitionPath(petition, 'promote'),
    className: 'panel',
    fields: [
      form.text('amount', {
        label: say('amount'),
        hint: say('amount_hint'),
        inputMode: 'decimal',
        parts: hundredthsPerUnit,
        maxLength: 12,
      }),
      form.select('currency', {
        label: say('currency'),
        options: currencies.map((value) => ({ value, label: nameOf(view.language, value) })),
      }),
    ],
    submit: say('start'),
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

/** Formats an amount that is given in the currency's smallest unit. */
function money(language: Language, { amount, currency }: Pick<Payment, 'amount' | 'currency'>) {
  const format = new Intl.NumberFormat(language, { style: 'currency', currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

const promote =
  (provider: PaymentProvider): FormHandler<Ref> =>
  async ({ ctx, viewer }, { params, fields }) => {
    const input = readForm(PromotionInput, fields, ['amount', 'currency'], {
      read: { amount: hundredthsIn },
    });
    const payment = await startPromotion(ctx, provider, viewer.caller, params.id, input);
    return payment.checkout_url ?? `${petitionPath(params, 'promote')}?done=begun`;
  };

/** Hundredths of an amount with a decimal point or comma; other texts stay, and are refused. */
function hundredthsIn(text: string): number | string {
  const [, whole, part = ''] = /^(\d{1,8})(?:[.,](\d{1,2}))?$/.exec(text) ?? [];
  if (whole === undefined) return text;
  return Number(whole) * hundredthsPerUnit + Number(part.padEnd(2, '0'));
}
