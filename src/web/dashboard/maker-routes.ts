import { Type } from 'typebox';
import type { Route } from '../../platform/http/route.ts';
import type { Site } from '../site/site.ts';
import { add, drop, makerPage, makersPage, send, showResponse, summary } from './makers.ts';

/** Pages and forms about those who can decide on a petition. */
export function makerRoutes(site: Site): Route[] {
  const ofPetition = Type.Object({ id: Type.String() });
  const ofMaker = Type.Object({ id: Type.String(), maker: Type.String({ format: 'uuid' }) });
  const ofResponse = Type.Object({ id: Type.String(), response: Type.String({ format: 'uuid' }) });
  const all = '/dashboard/petitions/{id}/decision-makers';
  const one = `${all}/{maker}`;
  const access = 'user';
  return [
    ...site.page({
      id: 'showMakers',
      path: all,
      access,
      params: ofPetition,
      show: (view, { params: { id }, query }) => makersPage(view, id, query),
    }),
    site.form({
      id: 'submitMaker',
      path: all,
      access,
      once: true,
      params: ofPetition,
      act: (view, { params: { id }, fields }) => add(view, id, fields),
      again: (view, { params: { id }, fields }, problem) =>
        makersPage(view, id, {}, { values: fields, problem }),
    }),
    ...(['pdf', 'csv'] as const).flatMap((format) =>
      site.page({
        id: `showSummary${format === 'pdf' ? 'Pdf' : 'Csv'}`,
        path: `${all}/summary.${format}`,
        access,
        params: ofPetition,
        show: (view, { params: { id } }) => summary(view, id, format),
      }),
    ),
    ...site.page({
      id: 'showMaker',
      path: one,
      access,
      params: ofMaker,
      show: (view, { params: { id: ref, maker: id } }) => makerPage(view, { ref, id }),
    }),
    site.form({
      id: 'submitDelivery',
      path: one,
      access,
      once: true,
      params: ofMaker,
      act: (view, { params: { id: ref, maker: id }, fields }) => send(view, { ref, id }, fields),
      again: (view, { params: { id: ref, maker: id }, fields }, problem) =>
        makerPage(view, { ref, id }, { values: fields, problem }),
    }),
    site.form({
      id: 'submitMakerRemoval',
      path: `${one}/remove`,
      access,
      params: ofMaker,
      act: (view, { params: { id: ref, maker: id } }) => drop(view, { ref, id }),
    }),
    site.form({
      id: 'submitResponsePublishing',
      path: `${all}/responses/{response}/publish`,
      access,
      params: ofResponse,
      act: (view, { params: { response } }) => showResponse(view, response),
    }),
  ];
}
