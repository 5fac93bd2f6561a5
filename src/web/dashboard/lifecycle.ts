import { html, type Html } from '../../platform/html.ts';
import type { RawAnswer, Route } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { markdownText } from '../../platform/pages/markdown-text.ts';
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
  type PageRequest,
  type Site,
} from '../site/site.ts';
import { askedStep, confirmationPage, signersTold } from './confirmation.ts';
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

const finishPage: PageHandler<Ref> = (view, request) =>
  showFinish(view, request, stateOf(request, 'victory'));

async function showFinish(
  view: OwnView,
  request: PageRequest<Ref>,
  victoryState: FormState,
): Promise<RawAnswer> {
  const say = speak(dashboardTexts, view.language);
  const petition = await getOwnPetition(view.ctx, view.viewer.caller, request.params.id);
  const path = petitionPath(petition);
  const isActive = petition.status === 'active';
  return petitionPage(view, petition, {
    current: 'finish',
    main: [
      isActive && victoryPanel(view, victoryState, `${path}/victory`),
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
}

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
      submit: say('look_at'),
    }),
  ]);
}

/** Publishes a draft, or asks for its review. */
const publish: FormHandler<Ref> = async ({ ctx, viewer }, { params: { id } }) => {
  const petition = await publishPetition(ctx, viewer.caller, id);
  return `${petitionPath(petition)}?done=${petition.status === 'active' ? 'published' : 'review'}`;
};

/** Says what closing means, then closes. */
const close: FormHandler<Ref> = async (view, { params, fields }) => {
  const { ctx, viewer, language } = view;
  const say = speak(dashboardTexts, language);
  const petition = await getOwnPetition(ctx, viewer.caller, params.id);
  const step = askedStep(fields);
  if (step === 'change') return petitionPath(petition, 'finish');
  if (step === 'show') {
    return confirmationPage(view, petition, {
      current: 'finish',
      title: say('close_title'),
      preview: html`<p>${say('close_text')}</p>`,
      reach: say('nobody_told'),
      action: `${petitionPath(petition)}/close`,
      fields: {},
      submit: say('close'),
    });
  }
  await closePetition(ctx, viewer.caller, petition.id);
  return `${petitionPath(petition)}?done=closed`;
};

/** Shows the message as signers will see it, then declares victory. */
const declare: FormHandler<Ref> = async (view, { params, fields }) => {
  const { ctx, viewer, language } = view;
  const say = speak(dashboardTexts, language);
  const step = askedStep(fields);
  if (step === 'change') return showFinish(view, { params, query: {} }, { values: fields });
  const { victory_message: message } = readForm(VictoryInput, fields, ['victory_message']);
  const petition = await getOwnPetition(ctx, viewer.caller, params.id);
  if (step === 'show') {
    return confirmationPage(view, petition, {
      current: 'finish',
      title: say('victory_title'),
      preview: message
        ? markdownText(message, ctx.config)
        : html`<p class="quiet">${say('no_message')}</p>`,
      reach: await signersTold(view, petition),
      action: `${petitionPath(petition)}/victory`,
      fields: message ? { victory_message: message } : {},
      submit: say('victory'),
    });
  }
  await declareVictory(ctx, viewer.caller, petition.id, message);
  return `${petitionPath(petition)}?done=victory`;
};

const remove: FormHandler<Ref> = async ({ ctx, viewer }, { params: { id }, fields }) => {
  requireConfirmation(fields);
  await deletePetition(ctx, viewer.caller, id);
  return '/dashboard?done=deleted';
};
