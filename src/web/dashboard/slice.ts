import { Type } from 'typebox';
import { redirectTo } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import type { ImageHolders } from '../../campaigns/media/media.ts';
import { maxBytes } from '../../campaigns/media/schema.ts';
import { showOwnPetition, updatePetition } from '../../campaigns/petitions/petitions.ts';
import type { PaymentProvider } from '../../reach/payments/payments.ts';
import { takePicture, type Site } from '../site/site.ts';
import { dashboardAssets } from './assets.ts';
import { editPage, saveEdit } from './edit.ts';
import { figuresPage } from './figures.ts';
import { close, finishPage, publish, remove, win } from './finish.ts';
import { petitionPath } from './frame.ts';
import { listPage, organizationsListPage } from './list.ts';
import { overviewPage } from './overview.ts';
import { promote, promotionPage } from './promotion.ts';
import { signaturesFile } from './signatures.ts';
import { makerRoutes } from './maker-routes.ts';
import { redirectRoutes } from './redirects.ts';
import { updateRoutes } from './update-routes.ts';

export interface DashboardDeps {
  holders: ImageHolders;
  provider: PaymentProvider;
}

/** Where those who started petitions look after them. */
export function dashboardSlice(site: Site, { holders, provider }: DashboardDeps): Slice {
  const params = Type.Object({ id: Type.String() });
  const at = '/dashboard/petitions/{id}';
  const access = 'user';
  return {
    assets: dashboardAssets,
    routes: [
      ...redirectRoutes(),
      ...site.page({
        id: 'showDashboard',
        path: '/dashboard',
        access,
        show: (view, { query }) => listPage(view, query),
      }),
      ...site.page({
        id: 'showPetitionsOfOrganizations',
        path: '/dashboard/petitions',
        access,
        show: (view, { query }) => organizationsListPage(view, query),
      }),
      ...site.page({
        id: 'showOwnPetition',
        path: at,
        access,
        params,
        show: (view, { params: { id }, query }) => overviewPage(view, id, query),
      }),
      ...site.page({
        id: 'showPetitionFigures',
        path: `${at}/figures`,
        access,
        params,
        show: (view, { params: { id }, query }) => figuresPage(view, id, query),
      }),
      ...site.page({
        id: 'showEdit',
        path: `${at}/edit`,
        access,
        params,
        show: (view, { params: { id }, query }) => editPage(view, id, { query }),
      }),
      site.form({
        id: 'submitEdit',
        path: `${at}/edit`,
        access,
        params,
        act: (view, { params: { id }, fields }) => saveEdit(view, id, fields),
        again: (view, { params: { id }, fields }, problem) =>
          editPage(view, id, { state: { values: fields, problem } }),
      }),
      site.form({
        id: 'submitPetitionPicture',
        path: `${at}/picture`,
        access,
        params,
        largestFile: maxBytes,
        async act(view, { params: { id: ref }, fields }) {
          const { id } = await showOwnPetition(view.ctx, view.viewer.caller, ref);
          const page = petitionPath({ id }, 'edit');
          return takePicture(view, holders, { fields, page, type: 'petition_image', id });
        },
        again: (view, { params: { id } }, problem) => editPage(view, id, { picture: { problem } }),
      }),
      site.form({
        id: 'removePetitionPicture',
        path: `${at}/picture/remove`,
        access,
        params,
        async act({ ctx, viewer, header }, { params: { id } }) {
          const petition = await updatePetition(ctx, viewer.caller, id, { imageUrl: null });
          return redirectTo(header, `${petitionPath(petition, 'edit')}?done=removed#picture`, 303);
        },
      }),
      ...site.page({
        id: 'showFinish',
        path: `${at}/finish`,
        access,
        params,
        show: (view, { params: { id } }) => finishPage(view, id),
      }),
      site.form({
        id: 'submitPublish',
        path: `${at}/publish`,
        access,
        params,
        act: (view, { params: { id } }) => publish(view, id),
      }),
      site.form({
        id: 'submitClose',
        path: `${at}/close`,
        access,
        params,
        act: (view, { params: { id } }) => close(view, id),
      }),
      site.form({
        id: 'submitVictory',
        path: `${at}/victory`,
        access,
        params,
        act: (view, { params: { id }, fields }) => win(view, id, fields),
        again: (view, { params: { id }, fields }, problem) =>
          finishPage(view, id, { values: fields, problem }),
      }),
      site.form({
        id: 'submitDelete',
        path: `${at}/delete`,
        access,
        params,
        act: (view, { params: { id }, fields }) => remove(view, id, fields),
        again: (view, { params: { id }, fields }, problem) =>
          finishPage(view, id, { values: fields, problem }),
      }),
      ...(['csv', 'json'] as const).flatMap((format) =>
        site.page({
          id: `exportOwnSignatures${format === 'csv' ? 'Csv' : 'Json'}`,
          path: `${at}/signatures.${format}`,
          access,
          params,
          show: (view, { params: { id } }) => signaturesFile(view, id, format),
        }),
      ),
      ...updateRoutes(site, holders),
      ...makerRoutes(site),
      ...site.page({
        id: 'showPromotion',
        path: `${at}/promotion`,
        access,
        params,
        show: (view, { params: { id }, query }) => promotionPage(view, id, query),
      }),
      site.form({
        id: 'submitPromotion',
        path: `${at}/promotion`,
        access,
        params,
        act: (view, { params: { id }, fields }) => promote(view, provider, id, fields),
        again: (view, { params: { id }, fields }, problem) =>
          promotionPage(view, id, {}, { values: fields, problem }),
      }),
    ],
  };
}
