import { Type, type Static } from 'typebox';
import {
  readReceipt,
  withdrawByReceipt,
  type ReceiptRow,
} from '../../campaigns/signatures/signatures.ts';
import { findPublishedPetition } from '../../campaigns/petitions/read.ts';
import { html, type Content, type Html } from '../../platform/html.ts';
import type { RawAnswer, Route } from '../../platform/http/route.ts';
import { formatDay, speak } from '../../platform/pages/catalog.ts';
import { pathOf } from '../../platform/pages/path.ts';
import { notFound } from '../../platform/problems.ts';
import { foreignText } from '../../platform/pages/text-language.ts';
import {
  actionForm,
  noIndex,
  sitePage,
  type FormHandler,
  type PageHandler,
  type Site,
  type View,
} from '../site/site.ts';
import { pathTo } from './addresses.ts';
import { petitionStyles, shareScript } from './assets.ts';
import { shareBox } from './share-box.ts';
import { petitionTexts } from './texts.ts';

export const ReceiptRef = Type.Object({ token: Type.String({ maxLength: 100 }) });
export type ReceiptRef = Static<typeof ReceiptRef>;

/** The page of the link in a receipt. Its holder needs no account: the link proves the address. */
export const receiptRoutes = (site: Site): Route[] =>
  site.page({
    id: 'showReceipt',
    path: '/receipts/{token}',
    closedToCrawlers: true,
    access: 'anyone',
    params: ReceiptRef,
    show: receiptPage,
    buttons: [{ id: 'submitReceiptWithdrawal', at: '/withdraw', act: withdraw }],
  });

const receiptPage: PageHandler<ReceiptRef, View> = async (view, { params: { token } }) => {
  const say = speak(petitionTexts, view.language);
  const receipt = await readReceipt(view.ctx, token);
  if (receipt.state === 'unknown') throw notFound('link');
  if (receipt.state === 'stored') return signaturePage(view, token, receipt);
  return page(view, say('receipt_withdrawn_title'), html`<p>${say('receipt_withdrawn')}</p>`);
};

async function signaturePage(view: View, token: string, row: ReceiptRow): Promise<RawAnswer> {
  const say = speak(petitionTexts, view.language);
  const { petition, name, is_anonymous, comment, created_at, signature_state: state } = row;
  const day = formatDay(view.language, created_at);
  const shown = await findPublishedPetition(view.ctx, petition.id);
  const isOpen = shown !== undefined && shown.visibility !== 'private';
  const title = foreignText(petition.title, petition.language, view.language);
  return page(
    view,
    say('receipt_title'),
    html`<p class="lead">${isOpen ? html`<a href="${pathTo(petition.slug)}">${title}</a>` : title}</p>
<p>${is_anonymous ? say('receipt_anonymous', { day }) : say('receipt_as', { name: html`<bdi>${name}</bdi>`, day })} ${say(`receipt_state_${state}`)}</p>
${comment && html`<blockquote class="plain-text" dir="auto">${comment}</blockquote>\n`}${
      state === 'counted' &&
      receiptFile(view, {
        file: pathOf`/receipts/${token}/file`,
        code: pathOf`/receipts/${token}/code`,
      })
    }${isOpen && html`<div class="panel">${shareBox(view, shown)}</div>\n`}<details><summary>${say('withdraw')}</summary>
${actionForm(view, {
  action: pathOf`/receipts/${token}/withdraw`,
  className: 'panel',
  fields: html`<p>${say('receipt_withdraw_lead')}</p>\n`,
  submit: say('withdraw'),
  buttonClass: 'danger',
})}
</details>`,
  );
}

/** Links to what shows that a signature is in the public log, a file and a code; nothing where there is no log. */
export function receiptFile(
  { ctx, language }: View,
  { file, code }: { file: string; code: string },
): Html | false {
  if (!ctx.config.transparencyLog) return false;
  const say = speak(petitionTexts, language);
  return html`<p><a class="button second" href="${file}">${say('receipt_file')}</a> <a href="${code}">${say('receipt_code')}</a></p>
<p class="small quiet">${say('receipt_file_hint')}</p>\n`;
}

const withdraw: FormHandler<ReceiptRef, View> = async ({ ctx }, { params: { token } }) => {
  await withdrawByReceipt(ctx, token);
  return pathOf`/receipts/${token}`;
};

const page = (view: View, title: Content, main: Content): Promise<RawAnswer> =>
  sitePage(view, {
    title,
    styles: [petitionStyles],
    scripts: [shareScript],
    head: noIndex,
    main: html`<h1>${title}</h1>\n${main}`,
  });
