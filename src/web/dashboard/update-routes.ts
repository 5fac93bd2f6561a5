import { Type } from 'typebox';
import type { Route } from '../../platform/http/route.ts';
import type { ImageHolders } from '../../campaigns/media/media.ts';
import { maxBytes } from '../../campaigns/media/schema.ts';
import { showOwnPetition } from '../../campaigns/petitions/read.ts';
import { takePicture, type Site } from '../site/site.ts';
import { petitionPath } from './frame.ts';
import { change, post, removeUpdatePicture, takeDown, updatePage, updatesPage } from './updates.ts';

/** Pages and forms about a petition's updates. */
export function updateRoutes(site: Site, holders: ImageHolders): Route[] {
  const ofPetition = Type.Object({ id: Type.String() });
  const ofUpdate = Type.Object({ id: Type.String(), update: Type.String({ format: 'uuid' }) });
  const all = '/dashboard/petitions/{id}/updates';
  const one = `${all}/{update}`;
  const access = 'user';
  return [
    ...site.page({
      id: 'showOwnUpdates',
      path: all,
      access,
      params: ofPetition,
      show: (view, { params: { id }, query }) => updatesPage(view, id, query),
    }),
    site.form({
      id: 'submitUpdate',
      path: all,
      access,
      once: true,
      params: ofPetition,
      act: (view, { params: { id }, fields }) => post(view, id, fields),
      again: (view, { params: { id }, fields }, problem) =>
        updatesPage(view, id, {}, { values: fields, problem }),
    }),
    ...site.page({
      id: 'showOwnUpdate',
      path: one,
      access,
      params: ofUpdate,
      show: (view, { params: { id: ref, update: id }, query }) =>
        updatePage(view, { ref, id }, { query }),
    }),
    site.form({
      id: 'submitUpdateChange',
      path: one,
      access,
      params: ofUpdate,
      act: (view, { params: { update }, fields }) => change(view, update, fields),
      again: (view, { params: { id: ref, update: id }, fields }, problem) =>
        updatePage(view, { ref, id }, { state: { values: fields, problem } }),
    }),
    site.form({
      id: 'submitUpdateDelete',
      path: `${one}/delete`,
      access,
      params: ofUpdate,
      act: (view, { params: { id: ref, update: id } }) => takeDown(view, { ref, id }),
    }),
    site.form({
      id: 'submitUpdatePicture',
      path: `${one}/picture`,
      access,
      params: ofUpdate,
      largestFile: maxBytes,
      async act(view, { params: { id: ref, update: id }, fields }) {
        const petition = await showOwnPetition(view.ctx, view.viewer.caller, ref);
        const page = `${petitionPath(petition, 'updates')}/${id}`;
        return takePicture(view, holders, { fields, page, type: 'petition_update_image', id });
      },
      again: (view, { params: { id: ref, update: id } }, problem) =>
        updatePage(view, { ref, id }, { picture: { problem } }),
    }),
    site.form({
      id: 'removeUpdatePicture',
      path: `${one}/picture/remove`,
      access,
      params: ofUpdate,
      act: (view, { params: { update } }) => removeUpdatePicture(view, update),
    }),
  ];
}
