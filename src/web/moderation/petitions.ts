import { html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { invalidValue } from '../../platform/problems.ts';
import { formatAgo } from '../../platform/pages/catalog.ts';
import { markdownText } from '../../platform/pages/markdown-text.ts';
import { pathOf } from '../../platform/pages/path.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import {
  listMakersToVerify,
  verifyMaker,
} from '../../campaigns/decision-makers/decision-makers.ts';
import { VerificationInput, type VerifiedMaker } from '../../campaigns/decision-makers/schema.ts';
import { showPetition } from '../../campaigns/petitions/read.ts';
import {
  PetitionRef,
  petitionStatuses,
  RedactionInput,
  type Petition,
} from '../../campaigns/petitions/schema.ts';
import {
  approve,
  close,
  findWaitingChange,
  listPetitionQueue,
  redact,
  reject,
  type WaitingChange,
} from '../../oversight/moderation/moderation.ts';
import {
  changedQueue,
  DecisionInput,
  PetitionQueueQuery,
  type AdminPetition,
} from '../../oversight/moderation/schema.ts';
import {
  checkInput,
  reportProblem,
  formFor,
  formToken,
  hiddenFields,
  omitEmpty,
  listOf,
  postForm,
  progressOf,
  readForm,
  stateOf,
  statusBadge,
  textOf,
  type FormState,
  type OwnView,
  type Site,
  type PageHandler,
  type FormHandler,
} from '../site/site.ts';
import { done, filters, moderationPage, nameOf, sayOf, type IdRef } from './moderation-layout.ts';

const path = '/moderation/petitions';

export const petitionRoutes = (site: Site): Route[] => [
  ...site.page({ id: 'showReviewQueue', path, access: 'moderator', show: queuePage }),
  ...site.page({
    id: 'showJudgedPetition',
    path: `${path}/{id}`,
    access: 'moderator',
    params: PetitionRef,
    show: petitionPage,
    forms: {
      change: { id: 'submitChangeApproval', at: '/approve-change', act: approveChange },
      verification: { id: 'submitVerification', at: '/verification', act: verify },
      decision: { id: 'submitPetitionDecision', act: decide },
      redaction: { id: 'submitRedaction', at: '/redact', act: redactText },
    },
  }),
];

/** Petitions of one status, under review by default, or whose text changed; those that have waited longest come first. */
const queuePage: PageHandler = async (view, { query }) => {
  const say = sayOf(view);
  const { status = 'under_review', cursor } = query;
  const filter = checkInput(PetitionQueueQuery, omitEmpty({ status, cursor }));
  const page = await listPetitionQueue(view.ctx, filter);
  const statuses = petitionStatuses.filter((one) => one !== 'draft');
  const choices = [
    ...statuses.map((one) => ({ value: one, label: view.say(`status_${one}`) })),
    { value: changedQueue, label: say('text_changed') },
  ].map((one) => ({ ...one, href: `${path}?status=${one.value}` }));
  return moderationPage(view, {
    section: 'petitions',
    title: say('petitions'),
    query,
    main: html`${filters(status, choices)}${listOf(view, page, {
      item: (one) => queueItem(view, one, status === changedQueue),
      empty: html`<p class="quiet">${say('nothing')}</p>`,
    })}`,
  });
};

function queueItem(view: OwnView, petition: AdminPetition, isOfChange: boolean): Html {
  const say = sayOf(view);
  const ago = (at: Date | string) => formatAgo(view.language, new Date(at), view.ctx.now());
  const { text_change: change } = petition;
  const since =
    isOfChange && change
      ? say('text_changed_when', { when: ago(change.at), count: change.signatures_before })
      : say('waiting_since', { when: ago(petition.status_since) });
  return html`<li><p><a href="${path}/${petition.id}"><strong${languageAttributes(petition.language, view.language)}>${petition.title}</strong></a></p>
<p class="small quiet">${nameOf(view, petition.creator)} · ${view.say('signatures', { count: petition.signature_count })} ·
${since} · ${say('reports_open', { count: petition.open_reports })}</p></li>
`;
}

/** A petition for the decision of a moderator. */
const petitionPage: PageHandler<IdRef> = async (view, request) => {
  const say = sayOf(view);
  const { caller } = view.viewer;
  const petition = await showPetition(view.ctx, caller, request.params.id, undefined);
  const state = stateOf(request, 'decision');
  const officials = await listMakersToVerify(view.ctx, caller, petition.id, { limit: 50 });
  const change = await findWaitingChange(view.ctx, caller, petition.id);
  return moderationPage(view, {
    section: 'petitions',
    title: petition.title,
    titleLanguage: petition.language,
    main: html`${reportProblem(view, state)}<p class="row">${statusBadge(view, petition.status)}
<span>${nameOf(view, petition.creator)}</span>
<a href="/p/${petition.slug}">${say('of_petition')}</a>
<a href="${path}/${petition.id}/integrity">${say('integrity')}</a></p>
${progressOf(view, petition)}
<div class="panel">${markdownText(petition.description, view.ctx.config, { attributes: languageAttributes(petition.language, view.language) })}</div>
${change && changePanel(view, petition, { ...change, state: stateOf(request, 'change') })}${decisions(view, petition, state)}${makers(view, petition, officials.items)}${redactionForm(view, petition, stateOf(request, 'redaction'))}`,
  });
};

/** The changed text that waits: a link to what was changed, and the button that approves it. */
function changePanel(
  view: OwnView,
  petition: Petition,
  { change, version, state }: WaitingChange & { state: FormState },
): Html {
  const say = sayOf(view);
  const when = formatAgo(view.language, new Date(change.at), view.ctx.now());
  return html`<section class="panel"><h2>${say('text_changed')}</h2>
<p>${say('text_changed_when', { when, count: change.signatures_before })} <a href="${pathOf`/p/${petition.slug}/versions`}">${say('see_change')}</a></p>
${
  // The approval of a petition under review approves its text as well.
  petition.status !== 'under_review' &&
  postForm(view, state, {
    action: `${path}/${petition.id}/approve-change`,
    // Of the text that the moderator sees: a newer one is not approved.
    hidden: { version: String(version) },
    submit: say('approve_change'),
  })
}</section>
`;
}

/** Approves a changed text. */
const approveChange: FormHandler<IdRef> = async (view, { params: { id }, fields }) => {
  await approve(view.ctx, view.viewer.caller, id, Number(textOf(fields, 'version')));
  return done(path);
};

function decisions(view: OwnView, petition: Petition, state: FormState): Html | false {
  const say = sayOf(view);
  const isUnderReview = petition.status === 'under_review';
  if (!isUnderReview && petition.status !== 'active') return false;
  const form = formFor(view, state, DecisionInput);
  return html`<form class="panel" method="post" action="${path}/${petition.id}">${formToken(view)}
${form.text('reason', {
  label: say('why'),
  hint: say('why_hint'),
  type: 'textarea',
  // Approvals need no reason.
  required: false,
})}<p class="row">${
    isUnderReview
      ? html`<button name="decision" value="approve">${say('approve')}</button>
<button class="danger" name="decision" value="reject">${say('reject')}</button>`
      : html`<button class="danger" name="decision" value="close">${say('close')}</button>`
  }</p></form>`;
}

/** Decision makers, and whether somebody has checked who they are. */
function makers(view: OwnView, petition: Petition, officials: VerifiedMaker[]): Html | false {
  if (officials.length === 0) return false;
  const say = sayOf(view);
  const items = officials.map(
    ({ id, name, title, mail_domain: domain, verified }) =>
      html`<li><p><bdi>${name}</bdi>${title !== null && html` <span class="quiet"><bdi>${title}</bdi></span>`}
${domain !== null && html`<code>@${domain}</code>`} ${verified && html`<span class="badge good">${say('verified')}</span>`}</p>
<form class="row" method="post" action="${path}/${petition.id}/verification">${formToken(view)}${hiddenFields({ maker: id, verified: verified ? '' : 'on' })}
<label class="grow">${say('why')} <input name="reason" required maxlength="1000" aria-label="${view.say('labelled', { label: say('why'), value: name })}"></label>
<button class="second">${say(verified ? 'unverify' : 'verify')}</button></form></li>\n`,
  );
  return html`<h2>${say('makers')}</h2><p>${say('makers_lead')}</p>\n<ul class="list">\n${items}</ul>\n`;
}

/** Stores that a decision maker was checked, or takes it back. */
const verify: FormHandler<IdRef> = async (view, { params: { id }, fields }) => {
  const { reason } = checkInput(VerificationInput, omitEmpty({ reason: textOf(fields, 'reason') }));
  await verifyMaker(view.ctx, view.viewer.caller, textOf(fields, 'maker'), {
    verified: textOf(fields, 'verified') !== '',
    ...(reason !== undefined && { reason }),
  });
  return done(`${path}/${id}`);
};

/** Replaces text that must not be shown. */
function redactionForm(view: OwnView, petition: Petition, state: FormState): Html {
  const say = sayOf(view);
  const { title, description } = petition;
  const form = formFor(
    view,
    { ...state, values: { title, description, ...state.values } },
    RedactionInput,
  );
  return html`<details><summary><strong>${say('redact')}</strong></summary>
<form class="panel" method="post" action="${path}/${petition.id}/redact">${formToken(view)}<p>${say('redact_lead')}</p>
${form.text('title', { label: say('redact_title'), required: false })}${form.text('description', {
    label: say('redact_description'),
    type: 'textarea',
    required: false,
  })}${form.text('reason', { id: 'redaction_reason', label: say('why'), type: 'textarea' })}<button class="danger">${say('redact_now')}</button></form></details>
`;
}

/** Replaces text of a petition. Text that was not changed stays. */
const redactText: FormHandler<IdRef> = async (view, { params: { id }, fields }) => {
  const { ctx, viewer } = view;
  const petition = await showPetition(ctx, viewer.caller, id, undefined);
  const { title, description, reason } = readForm(RedactionInput, fields, [
    'title',
    'description',
    'reason',
  ]);
  await redact(ctx, viewer.caller, id, {
    reason,
    ...(title !== petition.title && { title }),
    ...(description !== petition.description && { description }),
  });
  return done(`${path}/${id}`);
};

/** Approves, rejects or closes a petition. */
const decide: FormHandler<IdRef> = async (view, { params: { id }, fields }) => {
  const { ctx, viewer } = view;
  const decision = textOf(fields, 'decision');
  if (!['approve', 'reject', 'close'].includes(decision)) {
    throw invalidValue('decision', 'Press one of the buttons.');
  }
  if (decision === 'approve') await approve(ctx, viewer.caller, id);
  else {
    const { reason } = readForm(DecisionInput, fields, ['reason']);
    await (decision === 'reject' ? reject : close)(ctx, viewer.caller, id, reason);
  }
  return done(path);
};
