import type { Route } from '../../platform/http/route.ts';
import { foreignText } from '../../platform/pages/text-language.ts';
import { showPetition } from '../../campaigns/petitions/read.ts';
import {
  callerOf,
  stateOf,
  textOf,
  type Fields,
  type Site,
  type View,
  type PageHandler,
  type FormHandler,
} from '../site/site.ts';
import { reportPage, sendReport } from '../reports/reports.ts';
import { codeIn, pathTo, SlugRef } from './addresses.ts';

export const reportRoutes = (site: Site): Route[] =>
  site.page({
    id: 'showReportForm',
    path: '/p/{slug}/report',
    closedToCrawlers: true,
    access: 'anyone',
    params: SlugRef,
    show,
    forms: { report: { id: 'submitReport', act: submit } },
  });

/** Targets below a petition, by the fields that name them. */
const belowPetition = ['comment', 'signature'] as const;

const namedIn = (fields: Fields) =>
  belowPetition.find((type) => textOf(fields, type) !== '') ?? 'petition';

/** Asks what is wrong with a petition, a comment on it, or the reason of a signature. */
const show: PageHandler<SlugRef, View> = async (view, request) => {
  const { slug } = request.params;
  const state = stateOf(request, 'report', request.query);
  const code = codeIn(state.values);
  const { title, language } = await showPetition(view.ctx, callerOf(view), slug, code);
  const type = namedIn(state.values);
  return reportPage(view, state, {
    type,
    name: foreignText(title, language, view.language),
    action: pathTo(slug, { below: 'report' }),
    hidden: { [type]: textOf(state.values, type) || undefined, access_code: code },
  });
};

const submit: FormHandler<SlugRef, View> = async (view, { params: { slug }, fields }) => {
  const petition = await showPetition(view.ctx, callerOf(view), slug, codeIn(fields));
  const type = namedIn(fields);
  const id = type === 'petition' ? petition.id : textOf(fields, type);
  return sendReport(view, fields, { type, id });
};
