import { Type } from 'typebox';
import { redirectTo } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import type { ImageHolders } from '../../campaigns/media/media.ts';
import { maxBytes } from '../../campaigns/media/schema.ts';
import { showOwnPetition, updatePetition } from '../../campaigns/petitions/petitions.ts';
import { takePicture, type Site } from '../site/site.ts';
import { draftScript } from './assets.ts';
import { addPerson, peoplePage, previewPage, removePerson } from './finishing.ts';
import { stepAt } from './frame.ts';
import { detailsPage, saveDetails, saveText, textPage } from './writing.ts';

/** The way from nothing to a published petition. */
export function createPetitionSlice(site: Site, holders: ImageHolders): Slice {
  const params = Type.Object({ id: Type.String() });
  const ofMaker = Type.Object({ id: Type.String(), maker: Type.String({ format: 'uuid' }) });
  const at = '/start/{id}';
  const access = 'user';
  return {
    assets: [draftScript],
    routes: [
      ...site.page({
        id: 'showStart',
        path: '/start',
        access,
        show: (view, { query }) => textPage(view, undefined, { query }),
      }),
      site.form({
        id: 'submitStart',
        path: '/start',
        access,
        once: true,
        act: (view, { fields }) => saveText(view, undefined, fields),
        again: (view, { fields }, problem) =>
          textPage(view, undefined, { state: { values: fields, problem } }),
      }),
      ...site.page({
        id: 'showDraftText',
        path: at,
        access,
        params,
        show: (view, { params: { id }, query }) => textPage(view, id, { query }),
      }),
      site.form({
        id: 'submitDraftText',
        path: at,
        access,
        params,
        act: (view, { params: { id }, fields }) => saveText(view, id, fields),
        again: (view, { params: { id }, fields }, problem) =>
          textPage(view, id, { state: { values: fields, problem } }),
      }),
      ...site.page({
        id: 'showDraftDetails',
        path: `${at}/details`,
        access,
        params,
        show: (view, { params: { id }, query }) => detailsPage(view, id, { query }),
      }),
      site.form({
        id: 'submitDraftDetails',
        path: `${at}/details`,
        access,
        params,
        act: (view, { params: { id }, fields }) => saveDetails(view, id, fields),
        again: (view, { params: { id }, fields }, problem) =>
          detailsPage(view, id, { state: { values: fields, problem } }),
      }),
      ...site.page({
        id: 'showDraftPeople',
        path: `${at}/people`,
        access,
        params,
        show: (view, { params: { id }, query }) => peoplePage(view, id, { query }),
      }),
      site.form({
        id: 'submitDraftMaker',
        path: `${at}/people`,
        access,
        once: true,
        params,
        act: (view, { params: { id }, fields }) => addPerson(view, id, fields),
        again: (view, { params: { id }, fields }, problem) =>
          peoplePage(view, id, { state: { values: fields, problem } }),
      }),
      site.form({
        id: 'submitDraftMakerRemoval',
        path: `${at}/people/{maker}/remove`,
        access,
        params: ofMaker,
        act: (view, { params: { id: ref, maker: id } }) => removePerson(view, { ref, id }),
      }),
      site.form({
        id: 'submitDraftPicture',
        path: `${at}/picture`,
        access,
        params,
        largestFile: maxBytes,
        async act(view, { params: { id: ref }, fields }) {
          const { id } = await showOwnPetition(view.ctx, view.viewer.caller, ref);
          const page = stepAt(id, 'people');
          return takePicture(view, holders, { fields, page, type: 'petition_image', id });
        },
        again: (view, { params: { id } }, problem) =>
          peoplePage(view, id, { picture: { problem } }),
      }),
      site.form({
        id: 'removeDraftPicture',
        path: `${at}/picture/remove`,
        access,
        params,
        async act({ ctx, viewer, header }, { params: { id: ref } }) {
          const { id } = await updatePetition(ctx, viewer.caller, ref, { imageUrl: null });
          return redirectTo(header, `${stepAt(id, 'people')}?done=removed`, 303);
        },
      }),
      ...site.page({
        id: 'showDraftPreview',
        path: `${at}/preview`,
        access,
        params,
        show: (view, { params: { id } }) => previewPage(view, id),
      }),
    ],
  };
}
