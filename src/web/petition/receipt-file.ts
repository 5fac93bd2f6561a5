import { Type, type Static } from 'typebox';
import { readReceipt } from '../../campaigns/signatures/signatures.ts';
import { readSignerReceipt, type LogFiles } from '../../reach/transparency-log/transparency-log.ts';
import { html } from '../../platform/html.ts';
import { idOf } from '../../platform/http/schema.ts';
import type { RawAnswer, Route } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { gone, notFound } from '../../platform/problems.ts';
import { noIndex, sitePage, type PageHandler, type Site, type View } from '../site/site.ts';
import { petitionStyles } from './assets.ts';
import { ReceiptRef } from './receipt.ts';
import { petitionTexts } from './texts.ts';

const SignedPetition = Type.Object({ id: idOf('the petition') });

/** The file that shows that a signature is in the public log: by the link of a mail, and for signers who are logged in. */
export const receiptFileRoutes = (site: Site, files: LogFiles | undefined): Route[] => {
  const byLink: PageHandler<ReceiptRef, View> = async (view, { params: { token } }) => {
    const receipt = await readReceipt(view.ctx, token);
    if (receipt.state === 'withdrawn') throw gone('The signature was withdrawn.');
    if (receipt.state !== 'stored') throw notFound('link');
    const { petition, user_id: userId } = receipt;
    return showFile(view, files, { petitionId: petition.id, userId });
  };
  const ofViewer: PageHandler<Static<typeof SignedPetition>> = (view, { params: { id } }) =>
    showFile(view, files, { petitionId: id, userId: view.viewer.user.id });
  return [
    ...site.page({
      id: 'downloadReceiptOfLink',
      path: '/receipts/{token}/file',
      closedToCrawlers: true,
      access: 'anyone',
      params: ReceiptRef,
      show: byLink,
    }),
    ...site.page({
      id: 'downloadOwnReceipt',
      path: '/signatures/{id}/receipt',
      access: 'user',
      params: SignedPetition,
      show: ofViewer,
    }),
  ];
};

/** How long a page waits before it asks again. */
const retrySeconds = 3;

async function showFile(
  view: View,
  files: LogFiles | undefined,
  signer: { petitionId: string; userId: string },
): Promise<RawAnswer> {
  const { ctx, header } = view;
  header('cache-control', 'private, no-store');
  const answer = await readSignerReceipt(ctx, files, signer);
  if ('pending' in answer) return waitingPage(view, answer.pending);
  header('content-disposition', 'attachment; filename="receipt.tlog-proof"');
  return { mediaType: 'text/plain; charset=utf-8', body: answer.receipt };
}

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
