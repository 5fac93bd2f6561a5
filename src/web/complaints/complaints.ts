import { Type, type Static } from 'typebox';
import en from '../../../locales/en/complaints.json' with { type: 'json' };
import {
  complain,
  readComplaintLink,
  statementOf,
  type ComplaintState,
} from '../../oversight/decisions/decisions.ts';
import { ComplaintInput } from '../../oversight/decisions/schema.ts';
import { html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { catalog, formatTime, speak } from '../../platform/pages/catalog.ts';
import { markWrittenTexts } from '../../platform/pages/text-language.ts';
import {
  formFor,
  noIndex,
  postForm,
  readForm,
  reportProblem,
  sitePage,
  stateOf,
  type FormHandler,
  type FormState,
  type PageHandler,
  type Site,
  type View,
} from '../site/site.ts';

const complaintTexts = catalog('complaints', en);

const TokenRef = Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) });
type TokenRef = Static<typeof TokenRef>;

export const complaintRoutes = (site: Site): Route[] =>
  site.page({
    id: 'showComplaint',
    path: '/complaints/{token}',
    closedToCrawlers: true,
    access: 'anyone',
    params: TokenRef,
    show,
    forms: { complaint: { id: 'submitComplaint', act: submit } },
  });

/** The statement of reasons, and the form or what became of it. Opening it changes nothing. */
const show: PageHandler<TokenRef, View> = async (view, request) => {
  const { token } = request.params;
  const state = await readComplaintLink(view.ctx, token);
  const { about: text, about_language: language } = state.decision;
  const mark = (line: string) => markWrittenTexts(line, [{ text, language }], view.language);
  const { title, paragraphs } = statementOf(view.ctx, state.decision, state.side, view.language);
  view.header('x-robots-tag', 'noindex');
  view.header('referrer-policy', 'no-referrer');
  const form = stateOf(request, 'complaint');
  return sitePage(view, {
    title,
    head: noIndex,
    main: html`<h1 dir="auto">${mark(title)}</h1>
<div class="panel">${paragraphs.map((one) => html`<p class="plain-text" dir="auto">${mark(one)}</p>\n`)}</div>
${state.isOpen ? complaintForm(view, token, form, state) : html`${reportProblem(view, form)}${outcome(view, state)}`}`,
  });
};

function complaintForm(
  view: View,
  token: string,
  state: FormState,
  { decision }: ComplaintState,
): Html {
  const say = speak(complaintTexts, view.language);
  return html`<h2>${say('form_title')}</h2>
<p>${say('until', { until: formatTime(view.language, decision.expires_at) })}</p>
${postForm(view, state, {
  action: `/complaints/${token}`,
  className: 'panel',
  fields: formFor(view, state, ComplaintInput).text('text', {
    label: say('text'),
    hint: say('text_hint'),
    type: 'textarea',
  }),
  submit: say('send'),
})}`;
}

/** What became of the complaint; or that none is taken any more. Acts that end a restriction have neither. */
function outcome(view: View, { complaint, decision }: ComplaintState): Html | undefined {
  const say = speak(complaintTexts, view.language);
  if (complaint?.status === 'open') return html`<p role="status">${say('received')}</p>`;
  if (complaint) {
    return html`<h2>${say(complaint.status)}</h2>
${complaint.decision_reason && html`<p class="plain-text" dir="auto">${complaint.decision_reason}</p>`}`;
  }
  return view.ctx.now() < decision.expires_at ? undefined : html`<p>${say('expired')}</p>`;
}

const submit: FormHandler<TokenRef, View> = async ({ ctx }, { params: { token }, fields }) => {
  await complain(ctx, token, readForm(ComplaintInput, fields, ['text']));
  return `/complaints/${token}`;
};
