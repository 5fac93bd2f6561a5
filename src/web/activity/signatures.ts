import { listOwnSignatures, withdrawOwnSignature } from '../../campaigns/signatures/signatures.ts';
import { html, type Html } from '../../platform/html.ts';
import { isUuid } from '../../platform/ids.ts';
import type { Route } from '../../platform/http/route.ts';
import { formatDay, speak } from '../../platform/pages/catalog.ts';
import { notFound } from '../../platform/problems.ts';
import { foreignText } from '../../platform/pages/text-language.ts';
import {
  doneNotice,
  listOf,
  pageOf,
  actionForm,
  sitePage,
  statusBadge,
  textOf,
  type OwnView,
  type Site,
  type PageHandler,
  type FormHandler,
} from '../site/site.ts';
import { activityStyles } from './assets.ts';
import { activityTexts } from './texts.ts';

const path = '/signatures';

type OwnSignature = Awaited<ReturnType<typeof listOwnSignatures>>['items'][number];

/** Signatures of the viewer. */
export const signatureRoutes = (site: Site): Route[] =>
  site.page({
    id: 'showSignatures',
    path,
    access: 'user',
    show: signaturesPage,
    buttons: [{ id: 'submitSignatureWithdrawal', at: '/withdraw', act: withdrawSignature }],
  });

/** All signatures of the viewer, anonymous ones too, newest first. */
const signaturesPage: PageHandler = async (view, { query }) => {
  const say = speak(activityTexts, view.language);
  const page = await listOwnSignatures(view.ctx, view.viewer.caller, pageOf(query));
  return sitePage(view, {
    title: view.say('my_signatures'),
    styles: [activityStyles],
    main: html`<h1>${view.say('my_signatures')}</h1>
${doneNotice(say, query.done, ['withdrawn'])}${listOf(view, page, {
      item: (signature) => signatureItem(view, signature),
      empty: html`<p>${say('no_signatures')}</p>
<p><a class="button" href="/petitions">${say('find_petitions')}</a></p>`,
    })}`,
  });
};

function signatureItem(view: OwnView, { petition, ...signature }: OwnSignature): Html {
  const say = speak(activityTexts, view.language);
  const {
    comment,
    created_at,
    is_anonymous,
    display_location: place,
    state,
    receipt_url,
  } = signature;
  const title = foreignText(petition.title, petition.language, view.language);
  return html`<li>
<h2><a href="/p/${petition.slug}">${title}</a>${petition.status !== 'active' && html` ${statusBadge(view, petition.status)}`}</h2>
${comment && html`<blockquote class="plain-text" dir="auto">${comment}</blockquote>\n`}<p class="small quiet">${say(
    'signed_at',
    { day: formatDay(view.language, new Date(created_at)) },
  )}${is_anonymous && html` · ${say('anonymous')}`}${place && html` · <bdi>${place}</bdi>`}</p>
${state === 'counted' && receipt_url !== null && html`<p><a href="${path}/${petition.id}/receipt">${say('receipt_file')}</a> · <a href="${path}/${petition.id}/receipt/code">${say('receipt_code')}</a></p>\n`}<details><summary>${say('withdraw')}</summary>
${actionForm(view, {
  action: `${path}/withdraw`,
  className: 'panel',
  hidden: { petition_id: petition.id },
  fields: html`<p>${say('withdraw_sure', { title })} ${say('withdraw_lead')}</p>\n`,
  submit: say('withdraw'),
  buttonClass: 'danger',
})}</details></li>\n`;
}

const withdrawSignature: FormHandler = async ({ ctx, viewer }, { fields }) => {
  const petitionId = textOf(fields, 'petition_id');
  if (!isUuid(petitionId)) throw notFound('petition');
  await withdrawOwnSignature(ctx, viewer.caller, petitionId, undefined);
  return `${path}?done=withdrawn`;
};
