import { html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { getOwnPetition } from '../../campaigns/petitions/read.ts';
import {
  closePetition,
  declareVictory,
  deletePetition,
  publishPetition,
} from '../../campaigns/petitions/write.ts';
import { VictoryInput } from '../../campaigns/petitions/schema.ts';
import {
  formFor,
  panel,
  postForm,
  readForm,
  stateOf,
  type FormHandler,
  type FormState,
  type OwnView,
  type PageHandler,
  type Site,
} from '../site/site.ts';
import {
  actionPanel,
  deletionPanel,
  petitionPage,
  petitionPath,
  petitionRoute,
  requireConfirmation,
} from './dashboard-layout.ts';
import { dashboardTexts } from './texts.ts';

type Ref = { id: string };

/** Publishing a petition, and the ways in which it ends. */
export const lifecycleRoutes = (site: Site): Route[] =>
  site.page({
    id: 'showFinish',
    ...petitionRoute('/finish'),
    show: finishPage,
    forms: {
      victory: { id: 'submitVictory', path: petitionRoute('/victory').path, act: declare },
      deletion: { id: 'submitDelete', path: petitionRoute('/delete').path, act: remove },
    },
    buttons: [
      { id: 'submitPublish', path: petitionRoute('/publish').path, act: publish },
      { id: 'submitClose', path: petitionRoute('/close').path, act: close },
    ],
  });

const finishPage: PageHandler<Ref> = async (view, request) => {
  const say = speak(dashboardTexts, view.language);
  const petition = await getOwnPetition(view.ctx, view.viewer.caller, request.params.id);
  const path = petitionPath(petition);
  const isActive = petition.status === 'active';
  return petitionPage(view, petition, {
    current: 'finish',
    main: [
      isActive && victoryPanel(view, stateOf(request, 'victory'), `${path}/victory`),
      isActive &&
        actionPanel(view, {
          title: say('close_title'),
          text: say('close_text'),
          action: `${path}/close`,
          label: say('close'),
        }),
      deletionPanel(view, stateOf(request, 'deletion'), {
        title: say('delete_title'),
        text: say('delete_text'),
        action: `${path}/delete`,
        confirmation: say('delete_sure'),
        submit: say('delete'),
      }),
    ],
  });
};

function victoryPanel(view: OwnView, state: FormState, action: string): Html {
  const say = speak(dashboardTexts, view.language);
  const form = formFor(view, state, VictoryInput);
  return panel(say('victory_title'), [
    html`<p>${say('victory_text')}</p>\n`,
    postForm(view, state, {
      action,
      fields: form.text('victory_message', {
        label: say('victory_message'),
        type: 'markdown',
        rows: 5,
      }),
      submit: say('victory'),
    }),
  ]);
}

/** Publishes a draft, or asks for its review. */
const publish: FormHandler<Ref> = async ({ ctx, viewer }, { params: { id } }) => {
  const petition = await publishPetition(ctx, viewer.caller, id);
  return `${petitionPath(petition)}?done=${petition.status === 'active' ? 'published' : 'review'}`;
};

const close: FormHandler<Ref> = async ({ ctx, viewer }, { params: { id } }) => {
  const petition = await closePetition(ctx, viewer.caller, id);
  return `${petitionPath(petition)}?done=closed`;
};

const declare: FormHandler<Ref> = async ({ ctx, viewer }, { params: { id }, fields }) => {
  const { victory_message: message } = readForm(VictoryInput, fields, ['victory_message']);
  const petition = await declareVictory(ctx, viewer.caller, id, message);
  return `${petitionPath(petition)}?done=victory`;
};

const remove: FormHandler<Ref> = async ({ ctx, viewer }, { params: { id }, fields }) => {
  requireConfirmation(fields);
  await deletePetition(ctx, viewer.caller, id);
  return '/dashboard?done=deleted';
};
