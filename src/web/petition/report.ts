import { html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { showPetition } from '../../campaigns/petitions/read.ts';
import { createReport } from '../../oversight/reports/reports.ts';
import { reasons, ReportInput } from '../../oversight/reports/schema.ts';
import {
  formFor,
  noIndex,
  postForm,
  readForm,
  sitePage,
  stateOf,
  textOf,
  type Site,
  type PageHandler,
  type FormHandler,
} from '../site/site.ts';
import { codeIn, pathTo, SlugRef } from './addresses.ts';
import { petitionTexts } from './texts.ts';

export const reportRoutes = (site: Site): Route[] =>
  site.page({
    id: 'showReportForm',
    path: '/p/{slug}/report',
    access: 'user',
    params: SlugRef,
    show,
    forms: { report: { id: 'submitReport', act: submit } },
  });

/** Asks what is wrong with a petition, or with a comment on it. */
const show: PageHandler<SlugRef> = async (view, request) => {
  const say = speak(petitionTexts, view.language);
  const { slug } = request.params;
  const state = stateOf(request, 'report', request.query);
  const code = codeIn(state.values);
  const { title } = await showPetition(view.ctx, view.viewer.caller, slug, code);
  const comment = textOf(state.values, 'comment') || undefined;
  const form = formFor(view, state, ReportInput);
  return sitePage(view, {
    title: say('report_title'),
    head: noIndex,
    main: html`<h1>${say('report_title')}</h1>
<p>${say(comment ? 'report_comment' : 'report_petition', { title: html`<bdi>${title}</bdi>` })}</p>
${postForm(view, state, {
  action: pathTo(slug, { below: 'report' }),
  hidden: { comment, access_code: code },
  fields: html`${form.select('reason', {
    label: say('report_reason'),
    options: reasons.map((value) => ({ value, label: say(value) })),
  })}${form.text('description', { label: say('report_description'), type: 'textarea' })}`,
  submit: view.say('send'),
})}`,
  });
};

const submit: FormHandler<SlugRef> = async ({ ctx, viewer }, { params: { slug }, fields }) => {
  const code = codeIn(fields);
  const comment = textOf(fields, 'comment');
  const petition = await showPetition(ctx, viewer.caller, slug, code);
  const target = comment
    ? { target_type: 'comment', target_id: comment }
    : { target_type: 'petition', target_id: petition.id };
  const names = ['target_type', 'target_id', 'reason', 'description', 'access_code'] as const;
  await createReport(ctx, viewer.caller, readForm(ReportInput, { ...fields, ...target }, names));
  return pathTo(slug, { code, done: 'report_sent' });
};
