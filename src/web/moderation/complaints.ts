import {
  decideComplaint,
  getComplaint,
  listComplaints,
} from '../../oversight/decisions/decisions.ts';
import {
  ComplaintDecisionInput,
  ComplaintListQuery,
  complaintOutcomes,
  complaintStatuses,
  type Complaint,
} from '../../oversight/decisions/schema.ts';
import { html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { formatAgo } from '../../platform/pages/catalog.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import {
  checkInput,
  formFor,
  listOf,
  omitEmpty,
  postForm,
  readForm,
  reportProblem,
  stateOf,
  type FormState,
  type OwnView,
  type PageHandler,
  type Site,
} from '../site/site.ts';
import { done, filters, IdRef, moderationPage, nameOf, sayOf } from './moderation-layout.ts';

const path = '/moderation/complaints';

export const complaintRoutes = (site: Site): Route[] => [
  ...site.page({ id: 'showComplaints', path, access: 'moderator', show: queuePage }),
  ...site.page({
    id: 'showComplaintForModerators',
    path: `${path}/{id}`,
    access: 'moderator',
    params: IdRef,
    show: complaintPage,
    forms: {
      decision: {
        id: 'submitComplaintDecision',
        async act(view, { params, fields }) {
          const input = readForm(ComplaintDecisionInput, fields, ['decision', 'reason']);
          await decideComplaint(view.ctx, site.sessions, view.viewer.caller, params.id, input);
          return done(path);
        },
      },
    },
  }),
];

/** Complaints of one status, open by default, the oldest first. */
const queuePage: PageHandler = async (view, { query }) => {
  const say = sayOf(view);
  const { status = 'open', cursor } = query;
  const filter = checkInput(ComplaintListQuery, omitEmpty({ status, cursor }));
  const page = await listComplaints(view.ctx, filter);
  const choices = complaintStatuses.map((one) => ({
    value: one,
    label: say(one),
    href: `${path}?status=${one}`,
  }));
  return moderationPage(view, {
    section: 'complaints',
    title: say('complaints'),
    query,
    main: html`${filters(status, choices)}${listOf(view, page, {
      item: (one) => html`<li>${summary(view, one)}
<p><a class="button second" href="${path}/${one.id}">${say(one.status === 'open' ? 'decide' : 'details')}</a></p></li>\n`,
      empty: html`<p class="quiet">${say('nothing')}</p>`,
    })}`,
  });
};

/** One complaint, with the form that decides about it. */
const complaintPage: PageHandler<IdRef> = async (view, request) => {
  const say = sayOf(view);
  const complaint = await getComplaint(view.ctx, request.params.id);
  const state = stateOf(request, 'decision');
  return moderationPage(view, {
    section: 'complaints',
    title: say(`act_${complaint.decision.act}`),
    main: html`<div class="panel">${summary(view, complaint)}</div>
${complaint.status === 'open' ? decisionForm(view, complaint, state) : html`${reportProblem(view, state)}${outcome(view, complaint)}`}`,
  });
};

function summary(view: OwnView, { side, text, decision, created_at }: Complaint): Html {
  const say = sayOf(view);
  const {
    act,
    about,
    about_language: language,
    reason,
    moderator,
    petition_id: petitionId,
  } = decision;
  const ago = (at: Date | string) => formatAgo(view.language, new Date(at), view.ctx.now());
  return html`<p class="row small quiet"><span class="badge">${say(`act_${act}`)}</span>
<span>${say(`complaint_of_${side}`, { when: ago(created_at) })}</span></p>
${about && html`<p><strong${languageAttributes(language, view.language)}>${about}</strong></p>\n`}${
    text === null
      ? html`<p>${say('complaint_erased')}</p>`
      : html`<blockquote class="plain-text" dir="auto">${text}</blockquote>`
  }
<p class="small">${say('act_by', { name: nameOf(view, moderator), when: ago(decision.created_at) })}${
    petitionId && html` · <a href="/moderation/petitions/${petitionId}">${say('of_petition')}</a>`
  }</p>
${reason && html`<p class="small">${view.say('labelled', { label: html`<span class="quiet">${say('told_reason')}</span>`, value: html`<bdi>${reason}</bdi>` })}</p>`}`;
}

const outcome = (view: OwnView, complaint: Complaint): Html => {
  const say = sayOf(view);
  return html`<p><strong>${say(complaint.status)}</strong> · ${say('outcome_by', {
    name: nameOf(view, complaint.decided_by),
  })}${complaint.same_moderator && html` <span class="badge warn">${say('same_moderator')}</span>`}</p>
<p class="plain-text" dir="auto">${complaint.decision_reason}</p>`;
};

function decisionForm(view: OwnView, complaint: Complaint, state: FormState): Html {
  const say = sayOf(view);
  const form = formFor(view, state, ComplaintDecisionInput);
  const options = complaintOutcomes.map((one) => ({ value: one, label: say(`outcome_${one}`) }));
  return postForm(view, state, {
    action: `${path}/${complaint.id}`,
    className: 'panel',
    fields: html`${form.radios('decision', { label: say('decision'), options })}${form.text(
      'reason',
      {
        label: say('why'),
        hint: say('outcome_hint'),
        type: 'textarea',
      },
    )}`,
    submit: say('decide'),
  });
}
