import { listOwnSignatures, withdraw } from '../../campaigns/signatures/signatures.ts';
import { html } from '../../platform/html.ts';
import { isUuid } from '../../platform/ids.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { formatDay, speak } from '../../platform/pages/catalog.ts';
import { notFound } from '../../platform/problems.ts';
import {
  doneNotice,
  formToken,
  nextLink,
  sitePage,
  statusBadge,
  textOf,
  type Fields,
  type OwnView,
} from '../site/site.ts';
import { activityTexts } from './texts.ts';

/** All that the viewer signed, anonymously too, newest first. */
export async function signaturesPage(
  view: OwnView,
  { cursor, done }: Record<string, string>,
): Promise<RawAnswer> {
  const { ctx, viewer, language } = view;
  const say = speak(activityTexts, language);
  const page = await listOwnSignatures(ctx, viewer.caller, { ...(cursor && { cursor }) });
  const items = page.items.map(({ petition, ...one }) => {
    const title = html`<bdi>${petition.title}</bdi>`;
    return html`<li>
<h2><a href="/p/${petition.slug}">${title}</a>${petition.status !== 'active' && html` ${statusBadge(view, petition.status)}`}</h2>
${one.comment && html`<blockquote class="text" dir="auto">${one.comment}</blockquote>\n`}<p class="small quiet">${say(
      'signed_at',
      { day: formatDay(language, one.created_at) },
    )}${one.is_anonymous && html` · ${say('anonymous')}`}${
      one.display_location && html` · <bdi>${one.display_location}</bdi>`
    }</p>
<details><summary>${say('withdraw')}</summary>
<form class="panel" method="post" action="/signatures/withdraw">${formToken(view)}
<input type="hidden" name="petition_id" value="${petition.id}">
<p>${say('withdraw_sure', { title })} ${say('withdraw_lead')}</p>
<button class="danger">${say('withdraw')}</button></form></details></li>\n`;
  });
  return sitePage(view, {
    title: view.say('my_signatures'),
    styles: ['account.css'],
    main: html`<h1>${view.say('my_signatures')}</h1>
${doneNotice(say, done, ['withdrawn'])}${
      items.length > 0
        ? html`<ul class="list">
${items}</ul>`
        : html`<p>${say('no_signatures')}</p>
<p><a class="button" href="/petitions">${say('find_petitions')}</a></p>`
    }
${nextLink(view, page)}`,
  });
}

/** Takes a signature back. */
export async function withdrawSignature(view: OwnView, fields: Fields): Promise<RawAnswer> {
  const petitionId = textOf(fields, 'petition_id');
  if (!isUuid(petitionId)) throw notFound('petition');
  await withdraw(view.ctx, view.viewer.caller, petitionId, undefined);
  return redirectTo(view.header, '/signatures?done=withdrawn', 303);
}
