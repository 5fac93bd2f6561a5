import { Type, type Static } from 'typebox';
import { html, type Content } from '../../platform/html.ts';
import type { RawAnswer, Route } from '../../platform/http/route.ts';
import { Uuid } from '../../platform/http/schema.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { pathOf } from '../../platform/pages/path.ts';
import {
  confirmReport,
  findPendingOfBrowser,
  findPendingOfLink,
  requireReportExists,
} from '../../oversight/reports/reports.ts';
import { ReportConfirmation } from '../../oversight/reports/schema.ts';
import {
  digitsIn,
  formFor,
  noIndex,
  postForm,
  readForm,
  sitePage,
  stateOf,
  textOf,
  type FormHandler,
  type FormState,
  type PageHandler,
  type Site,
  type View,
} from '../site/site.ts';
import { reportTexts } from './texts.ts';

const ReportRef = Type.Object({ id: Uuid });
type ReportRef = Static<typeof ReportRef>;

const path = '/reports/confirm';

/** Pages of the link and the code in a mail, and of the number of a report. */
export const confirmationRoutes = (site: Site): Route[] => [
  ...site.page({
    id: 'showReportConfirmation',
    closedToCrawlers: true,
    path,
    access: 'anyone',
    show,
    forms: { confirm: { id: 'submitReportConfirmation', act: confirm } },
  }),
  ...site.page({
    id: 'showReportReceipt',
    closedToCrawlers: true,
    path: '/reports/{id}',
    access: 'anyone',
    params: ReportRef,
    show: receiptPage,
  }),
];

const confirm: FormHandler<{}, View> = async ({ ctx, ip }, { fields }) => {
  const answer = readForm(ReportConfirmation, fields, ['token', 'id', 'code'], {
    read: { code: (text) => digitsIn(text) || undefined },
  });
  return receiptPath(await confirmReport(ctx, answer, ip));
};

const receiptPath = (id: string): string => pathOf`/reports/${id}`;

/** Shows a button for the link in the mail, since mail scanners open links but press no buttons; else asks for the code. */
const show: PageHandler<{}, View> = async (view, request) => {
  const say = speak(reportTexts, view.language);
  const { refused } = request;
  if (refused?.problem.kind === 'rate-limited') {
    return page(view, say('confirm_title'), html`<p role="alert">${say('too_many_tries')}</p>`);
  }
  const state = stateOf(request, 'confirm', request.query);
  // Mail programs put marks behind links.
  const [token = ''] = /^[\w-]*/.exec(textOf(state.values, 'token')) ?? [];
  const row =
    token === ''
      ? await findPendingOfBrowser(view.ctx, textOf(state.values, 'id'), view.browser?.id)
      : await findPendingOfLink(view.ctx, token);
  if (!row) return page(view, say('confirm_title'), html`<p>${say('over')}</p>`);
  if (row.report_id !== null) return receiptPath(row.report_id);
  return token === ''
    ? codePage(view, state, row)
    : page(
        view,
        say('confirm_title'),
        html`<p>${say('confirm_lead')}</p>
${postForm(view, state, { action: path, hidden: { token }, submit: say('confirm'), buttonClass: 'large' })}`,
      );
};

function codePage(view: View, state: FormState, { id, email }: { id: string; email: string }) {
  const say = speak(reportTexts, view.language);
  const form = formFor(view, state, ReportConfirmation);
  return page(
    view,
    say('confirm_title'),
    html`<p>${say('mail_sent_to', { email: html`<strong><bdi>${email}</bdi></strong>` })}</p>
${postForm(view, state, {
  action: path,
  hidden: { id },
  fields: form.text('code', { label: say('code'), required: true, digits: 6 }),
  submit: say('confirm'),
  buttonClass: 'large',
})}`,
  );
}

/** The number of a report that was sent. */
const receiptPage: PageHandler<ReportRef, View> = async (view, { params: { id } }) => {
  const say = speak(reportTexts, view.language);
  await requireReportExists(view.ctx, id);
  return page(
    view,
    say('received'),
    html`<p class="lead">${say('received_lead')}</p>
<dl class="pairs"><dt>${say('number')}</dt><dd><bdi>${id}</bdi></dd></dl>
<p class="small quiet">${say('number_hint')}${!view.viewer && html` ${say('received_mailed')}`}</p>`,
  );
};

const page = (view: View, title: Content, main: Content): Promise<RawAnswer> =>
  sitePage(view, { title, head: noIndex, main: html`<h1>${title}</h1>\n${main}` });
