import { html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { formatDay, speak } from '../../platform/pages/catalog.ts';
import { markdownText } from '../../platform/pages/markdown-text.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import type { PictureOwners } from '../../campaigns/media/media.ts';
import { maxBytes } from '../../campaigns/media/schema.ts';
import { listVersions } from '../../campaigns/petitions/list.ts';
import { isPublished } from '../../campaigns/petitions/policy.ts';
import { getEditablePetition, type ManagedPetition } from '../../campaigns/petitions/manage.ts';
import { updatePetition, type EditablePetition } from '../../campaigns/petitions/write.ts';
import { PetitionUpdate, type Petition } from '../../campaigns/petitions/schema.ts';
import {
  doneNotice,
  editStateOf,
  nextLink,
  pageOf,
  pictureForm,
  pictureStatus,
  postForm,
  readForm,
  shownUnchanged,
  stateOf,
  takePicture,
  type FormHandler,
  type OwnView,
  type PageHandler,
  type PictureForm,
  type Site,
} from '../site/site.ts';
import { petitionPage, petitionPath, petitionRoute } from './dashboard-layout.ts';
import {
  detailFields,
  detailNames,
  readChanges,
  textFields,
  textNames,
  valuesOf,
} from './petition-form.ts';
import { dashboardTexts, petitionTexts } from './texts.ts';

type Ref = { id: string };

/** Changing a petition and its picture. */
export const editRoutes = (site: Site, pictureOwners: PictureOwners): Route[] =>
  site.page({
    id: 'showEdit',
    ...petitionRoute('/edit'),
    show: editPage,
    forms: {
      change: { id: 'submitEdit', once: true, act: change },
      picture: {
        id: 'submitPetitionPicture',
        path: petitionRoute('/picture').path,
        largestFile: maxBytes,
        act: setPetitionPicture(pictureOwners, (id) => petitionPath({ id }, 'edit')),
      },
      alt: {
        id: 'submitPetitionPictureAlt',
        path: petitionRoute('/picture/alt').path,
        act: setPetitionAlt((id) => petitionPath({ id }, 'edit')),
      },
    },
    buttons: [
      {
        id: 'removePetitionPicture',
        path: petitionRoute('/picture/remove').path,
        act: removePicture,
      },
    ],
  });

/** All that can be changed of a petition, and its former texts. */
const editPage: PageHandler<Ref> = async (view, request) => {
  const { query } = request;
  const say = speak(dashboardTexts, view.language);
  const { ctx, viewer } = view;
  const managed = await getEditablePetition(ctx, viewer.caller, request.params.id);
  const { petition, permissions: may } = managed;
  const by = editorOf(managed);
  const { language } = petition;
  const state = {
    ...editStateOf(request, 'change', valuesOf(petition, by)),
    languages: { title: language, description: language },
  };
  return petitionPage(view, petition, {
    current: 'edit',
    may,
    main: [
      doneNotice(say, query.done, ['done_saved', 'done_removed']),
      postForm(view, state, {
        action: petitionPath(petition, 'edit'),
        once: true,
        hidden: state.hidden,
        fields: [...textFields(view, state), ...(await detailFields(view, state, petition, by))],
        submit: view.say('save'),
      }),
      pictureForm(view, {
        action: `${petitionPath(petition)}/picture`,
        url: petition.image_url,
        status: await pictureStatus(view, query),
        problem: stateOf(request, 'picture').problem,
        alt: petitionAlt(request, petition),
      }),
      isPublished(petition) && (await versions(view, petition, query)),
    ],
  });
};

async function versions(
  view: OwnView,
  petition: Petition,
  query: Record<string, string>,
): Promise<Html> {
  const { ctx, viewer, language } = view;
  const say = speak(petitionTexts, language);
  const page = await listVersions(ctx, viewer.caller, petition.id, pageOf(query));
  const attributes = languageAttributes(petition.language, language);
  const former = query.cursor ? page.items : page.items.slice(1);
  return html`<p class="hint">${say('versions_hint')}</p>
${
  former.length > 0 &&
  html`<h2>${say('versions')}</h2>
${former.map(({ title, description, created_at: at }) => {
  const day = formatDay(language, new Date(at));
  return html`<details><summary>${say('version', { day })}</summary>
<p${attributes}><strong>${title}</strong></p>
${description !== null && markdownText(description, ctx.config, { attributes })}</details>
`;
})}${nextLink(view, page)}`
}`;
}

const editorOf = ({ permissions: may }: ManagedPetition) => (may.isCreator ? 'creator' : 'editor');

const change: FormHandler<Ref> = async ({ ctx, viewer }, { params: { id }, fields }) => {
  const before = await getEditablePetition(ctx, viewer.caller, id);
  const by = editorOf(before);
  const changes = readChanges(fields, [...textNames, ...detailNames(before.petition, by)]);
  const unchanged = shownUnchanged<EditablePetition>(fields, (stored) => valuesOf(stored, by));
  const petition = await updatePetition(ctx, viewer.caller, id, changes, unchanged);
  return `${petitionPath(petition, 'edit')}?done=saved`;
};

/** Stores a picture that was uploaded on this page about the petition. */
export const setPetitionPicture =
  (pictureOwners: PictureOwners, pathOfPage: (id: string) => string): FormHandler<Ref> =>
  async (view, { params, fields }) => {
    const { petition } = await getEditablePetition(view.ctx, view.viewer.caller, params.id);
    const { id } = petition;
    return takePicture(view, pictureOwners, {
      fields,
      page: pathOfPage(id),
      type: 'petition_image',
      id,
    });
  };

/** Forms of the words for a petition's picture, on a page with the forms `picture` and `alt`. */
export const petitionAlt = (
  request: Parameters<typeof stateOf>[0],
  { image_alt: alt }: Petition,
): PictureForm['alt'] => ({
  name: 'imageAlt',
  upload: stateOf(request, 'picture'),
  change: stateOf(request, 'alt', { imageAlt: alt ?? '' }),
});

/** Stores what the picture of the petition shows, in words. */
export const setPetitionAlt =
  (pathOfPage: (id: string) => string): FormHandler<Ref> =>
  async ({ ctx, viewer }, { params, fields }) => {
    const changes = readForm(PetitionUpdate, fields, ['imageAlt']);
    const { id } = await updatePetition(ctx, viewer.caller, params.id, changes);
    return `${pathOfPage(id)}?done=saved`;
  };

const removePicture: FormHandler<Ref> = async ({ ctx, viewer }, { params: { id } }) => {
  const petition = await updatePetition(ctx, viewer.caller, id, { imageUrl: null });
  return `${petitionPath(petition, 'edit')}?done=removed#picture`;
};
