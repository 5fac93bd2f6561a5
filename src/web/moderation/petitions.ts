import { html, type Html } from '../../platform/html.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { invalidValue } from '../../platform/problems.ts';
import { formatAgo } from '../../platform/pages/catalog.ts';
import { showPetition } from '../../campaigns/petitions/read.ts';
import { petitionStatuses, type Petition } from '../../campaigns/petitions/schema.ts';
import { approve, close, listQueue, reject } from '../../oversight/moderation/moderation.ts';
import { DecisionInput, PetitionQueueQuery } from '../../oversight/moderation/schema.ts';
import {
  checkInput,
  field,
  formAlert,
  formToken,
  given,
  nextLink,
  progressOf,
  statusBadge,
  textOf,
  type Fields,
  type FormState,
  type OwnView,
} from '../site/site.ts';
import { moderationPage, filters, nameOf, sayOf } from './frame.ts';

/** Petitions in one state: those under review unless said, the longest in it first. */
export async function petitionsPage(
  view: OwnView,
  query: Record<string, string>,
): Promise<RawAnswer> {
  const say = sayOf(view);
  const { status = 'under_review', cursor } = query;
  const { items, nextCursor } = await listQueue(
    view.ctx,
    checkInput(PetitionQueueQuery, given({ status, cursor })),
  );
  const path = (one: string) => `/moderation/petitions?status=${one}`;
  const choices = petitionStatuses
    .filter((one) => one !== 'draft')
    .map((one) => ({ value: one, label: view.say(`status_${one}`), href: path(one) }));
  const rows = items.map((one) => {
    const when = formatAgo(view.language, new Date(one.status_since), view.ctx.now());
    return html`<li><p><a href="/moderation/petitions/${one.id}"><strong dir="auto">${one.title}</strong></a></p>
<p class="small quiet">${nameOf(view, one.creator)} · ${view.say('signatures', { count: one.signature_count })} ·
${say('waiting_since', { when })} · ${say('reports_open', { count: one.open_reports })}</p></li>
`;
  });
  return moderationPage(view, {
    part: 'petitions',
    title: say('petitions'),
    query,
    main: html`${filters(status, choices)}${
      items.length === 0 && html`<p class="quiet">${say('nothing')}</p>\n`
    }<ul class="list">
${rows}</ul>
${nextLink(view, { nextCursor }, path(status))}`,
  });
}

/** A petition as moderators judge it. */
export async function petitionPage(
  view: OwnView,
  ref: string,
  state: FormState = { values: {} },
): Promise<RawAnswer> {
  const say = sayOf(view);
  const petition = await showPetition(view.ctx, view.viewer.caller, ref, undefined);
  return moderationPage(view, {
    part: 'petitions',
    title: petition.title,
    ...(state.problem && { status: state.problem.status }),
    main: html`${formAlert(view, state)}<p class="row">${statusBadge(view, petition.status)}
<span>${nameOf(view, petition.creator)}</span>
<a href="/p/${petition.slug}">${say('of_petition')}</a>
<a href="/moderation/petitions/${petition.id}/integrity">${say('integrity')}</a></p>
${progressOf(view, petition)}
<div class="panel text" dir="auto">${petition.description}</div>
${decisions(view, petition, state)}`,
  });
}

function decisions(view: OwnView, petition: Petition, state: FormState): Html | false {
  const say = sayOf(view);
  const reviewed = petition.status === 'under_review';
  if (!reviewed && petition.status !== 'active') return false;
  return html`<form class="panel" method="post" action="/moderation/petitions/${petition.id}">${formToken(view)}
${field(view, state, {
  name: 'reason',
  label: say('why'),
  hint: say('why_hint'),
  type: 'textarea',
  maxLength: 2000,
})}<p class="row">${
    reviewed
      ? html`<button name="decision" value="approve">${say('approve')}</button>
<button class="danger" name="decision" value="reject">${say('reject')}</button>`
      : html`<button class="danger" name="decision" value="close">${say('close')}</button>`
  }</p></form>`;
}

/** Approves, rejects or closes a petition. */
export async function decideOnPetition(
  view: OwnView,
  ref: string,
  fields: Fields,
): Promise<RawAnswer> {
  const { ctx, viewer } = view;
  const decision = textOf(fields, 'decision');
  if (!['approve', 'reject', 'close'].includes(decision)) {
    throw invalidValue('decision', 'Press one of the buttons.');
  }
  if (decision === 'approve') await approve(ctx, viewer.caller, ref);
  else {
    const { reason } = checkInput(DecisionInput, given({ reason: textOf(fields, 'reason') }));
    await (decision === 'reject' ? reject : close)(ctx, viewer.caller, ref, reason);
  }
  return redirectTo(view.header, '/moderation/petitions?done=decided', 303);
}
