import { findPublicUser } from '../../identity/accounts/accounts.ts';
import { html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { pathOf } from '../../platform/pages/path.ts';
import { reportPage, sendReport } from '../reports/reports.ts';
import { stateOf, type FormHandler, type PageHandler, type Site, type View } from '../site/site.ts';
import { SlugRef } from './profiles.ts';

export const reportRoutes = (site: Site): Route[] =>
  site.page({
    id: 'showProfileReportForm',
    closedToCrawlers: true,
    path: '/u/{slug}/report',
    access: 'anyone',
    params: SlugRef,
    show,
    forms: { report: { id: 'submitProfileReport', act: submit } },
  });

/** Asks what is wrong with a profile. */
const show: PageHandler<SlugRef, View> = async (view, request) => {
  const user = await findPublicUser(view.ctx, request.params.slug);
  return reportPage(view, stateOf(request, 'report'), {
    type: 'user',
    name: html`<bdi>${user.display_name}</bdi>`,
    action: pathOf`/u/${user.slug}/report`,
  });
};

const submit: FormHandler<SlugRef, View> = async (view, { params: { slug }, fields }) => {
  const { id } = await findPublicUser(view.ctx, slug);
  return sendReport(view, fields, { type: 'user', id });
};
