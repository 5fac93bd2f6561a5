import { encodeQR } from 'qr';
import { Type, type Static } from 'typebox';
import { readReceipt } from '../../campaigns/signatures/signatures.ts';
import { readSignerReceipt, type LogFiles } from '../../reach/transparency-log/transparency-log.ts';
import { html, Html } from '../../platform/html.ts';
import { idOf } from '../../platform/http/schema.ts';
import type { RawAnswer, Route } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { gone, notFound } from '../../platform/problems.ts';
import { formatOpeningCode, parseReceipt } from '../../platform/transparency/receipts.ts';
import { noIndex, sitePage, type PageHandler, type Site, type View } from '../site/site.ts';
import { petitionStyles } from './assets.ts';
import { ReceiptRef } from './receipt.ts';
import { petitionTexts } from './texts.ts';

const SignedPetition = Type.Object({ id: idOf('the petition') });

/**
 * What shows that a signature is in the public log, by the link of a mail and for signers who are logged in: a file, and a
 * code that another device reads.
 */
export const receiptFileRoutes = (site: Site, files: LogFiles | undefined): Route[] => {
  const byLink =
    (show: ShowReceipt): PageHandler<ReceiptRef, View> =>
    async (view, { params: { token } }) => {
      const receipt = await readReceipt(view.ctx, token);
      if (receipt.state === 'withdrawn') throw gone('The signature was withdrawn.');
      if (receipt.state !== 'stored') throw notFound('link');
      const { petition, user_id: userId } = receipt;
      return showWhenReady(view, files, { petitionId: petition.id, userId }, show);
    };
  const ofViewer =
    (show: ShowReceipt): PageHandler<Static<typeof SignedPetition>> =>
    (view, { params: { id } }) =>
      showWhenReady(view, files, { petitionId: id, userId: view.viewer.user.id }, show);
  const linked = { closedToCrawlers: true, access: 'anyone', params: ReceiptRef } as const;
  const own = { access: 'user', params: SignedPetition } as const;
  return [
    ...site.page({
      ...linked,
      id: 'downloadReceiptOfLink',
      path: '/receipts/{token}/file',
      show: byLink(asFile),
    }),
    ...site.page({
      ...linked,
      id: 'showCodeOfLink',
      path: '/receipts/{token}/code',
      show: byLink(asCode),
    }),
    ...site.page({
      ...own,
      id: 'downloadOwnReceipt',
      path: '/signatures/{id}/receipt',
      show: ofViewer(asFile),
    }),
    ...site.page({
      ...own,
      id: 'showOwnCode',
      path: '/signatures/{id}/receipt/code',
      show: ofViewer(asCode),
    }),
  ];
};

type ShowReceipt = (view: View, receipt: string) => RawAnswer | Promise<RawAnswer>;

/** How long a page waits before it asks again. */
const retrySeconds = 3;

async function showWhenReady(
  view: View,
  files: LogFiles | undefined,
  signer: { petitionId: string; userId: string },
  show: ShowReceipt,
): Promise<RawAnswer> {
  const { ctx, header } = view;
  header('cache-control', 'private, no-store');
  const answer = await readSignerReceipt(ctx, files, signer);
  return 'pending' in answer ? waitingPage(view, answer.pending) : show(view, answer.receipt);
}

const asFile: ShowReceipt = ({ header }, receipt) => {
  header('content-disposition', 'attachment; filename="receipt.tlog-proof"');
  return { mediaType: 'text/plain; charset=utf-8', body: receipt };
};

/**
 * The code is the address of the page that checks receipts, with the opening in its fragment: browsers do not send it. It
 * has no proof and no signatures, which the page gets from the log.
 */
const asCode: ShowReceipt = (view, receipt) => {
  const { ctx, language } = view;
  const say = speak(petitionTexts, language);
  const { opening, index } = parseReceipt(receipt);
  const code = formatOpeningCode(opening, index);
  const title = say('receipt_code_title');
  const svg = encodeQR(`${ctx.config.baseUrl}/log#${code}`, 'svg', { ecc: 'low', border: 4 });
  return sitePage(view, {
    title,
    styles: [petitionStyles],
    head: noIndex,
    main: html`<h1>${title}</h1>
<p class="lead">${say('receipt_code_lead')}</p>
<div class="receipt-code" role="img" aria-label="${say('receipt_code_alt')}">${new Html(svg)}</div>
<p><a class="button" href="/log#${code}">${say('receipt_code_here')}</a></p>
<p class="small quiet">${say('receipt_file_hint')}</p>`,
  });
};

async function waitingPage(view: View, state: 'held' | 'waiting'): Promise<RawAnswer> {
  const say = speak(petitionTexts, view.language);
  const title = say('receipt_file_title');
  const reload = html`<meta http-equiv="refresh" content="${retrySeconds}">\n`;
  return sitePage(view, {
    title,
    styles: [petitionStyles],
    head: html`${noIndex}${state === 'waiting' && reload}`,
    main: html`<h1>${title}</h1>
<p role="status">${say(`receipt_file_${state}`)}</p>`,
  });
}
