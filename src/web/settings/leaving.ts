import { Readable } from 'node:stream';
import { eraseUser, exportPersonalData } from '../../identity/accounts/accounts.ts';
import { proveOwner } from '../../identity/mail-challenges/mail-challenges.ts';
import type { Sessions } from '../../identity/sessions/sessions.ts';
import { html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import type { PersonalData } from '../../platform/slice.ts';
import {
  actionForm,
  logOut,
  postForm,
  sitePage,
  stateOf,
  textOf,
  type FormHandler,
  type PageHandler,
  type Site,
  type View,
} from '../site/site.ts';
import { canProve, proofField, readProof, sendCodeFor } from './proof.ts';
import { settingsTexts } from './texts.ts';

type Holders = () => PersonalData[];

/** Exporting the data of an account, and erasing it. */
export const leavingRoutes = (site: Site, holders: Holders): Route[] => [
  ...site.page({
    id: 'downloadOwnData',
    path: '/settings/data',
    access: 'user',
    show: downloadData(holders),
  }),
  ...site.page({
    id: 'showErase',
    path: '/settings/erase',
    access: 'user',
    show: erasePage,
    forms: { erase: { id: 'submitErase', act: erase(site.sessions, holders) } },
    buttons: [{ id: 'submitEraseCode', at: '/code', act: sendCodeFor('/settings/erase') }],
  }),
  ...site.page({
    id: 'showGoodbye',
    closedToCrawlers: true,
    path: '/goodbye',
    access: 'anyone',
    show: goodbyePage,
  }),
];

/** Streams all data of the viewer. */
const downloadData =
  (holders: Holders): PageHandler =>
  async ({ ctx, header, viewer }) => {
    const pieces = await exportPersonalData(ctx, viewer.caller, holders(), 2);
    header('content-disposition', 'attachment; filename="my-data.json"');
    header('cache-control', 'no-store');
    return { mediaType: 'application/json', body: Readable.from(pieces, { objectMode: false }) };
  };

/** Explains what is erased, and asks for the password, or for a code where there is none. */
const erasePage: PageHandler = (view, request) => {
  const say = speak(settingsTexts, view.language);
  const state = stateOf(request, 'erase', request.query);
  const challenge = textOf(state.values, 'challenge');
  return sitePage(view, {
    title: say('erase'),
    main: html`<h1>${say('erase')}</h1>
<h2>${say('erase_goes')}</h2>
<ul><li>${say('erase_goes_1')}</li><li>${say('erase_goes_2')}</li><li>${say('erase_goes_3')}</li></ul>
<h2>${say('erase_stays')}</h2>
<ul><li>${say('erase_stays_1')}</li><li>${say('erase_stays_2')}</li><li>${say('erase_stays_3')}</li><li>${say('erase_stays_4')}</li></ul>
<p class="notice warn">${say('erase_first')} <a href="/settings/data" download>${say('download')}</a></p>
${
  canProve(view, challenge)
    ? postForm(view, state, {
        action: '/settings/erase',
        fields: proofField(view, state, { challenge, id: 'proof' }),
        submit: say('erase_now'),
        buttonClass: 'danger',
        beside: html`<a href="/settings">${view.say('cancel')}</a>`,
      })
    : actionForm(view, {
        action: '/settings/erase/code',
        fields: html`<p>${say('erase_by_code')}</p>\n`,
        submit: say('erase_send_code'),
        buttonClass: 'second',
        beside: html`<a href="/settings">${view.say('cancel')}</a>`,
      })
}`,
  });
};

/** Erases the account, and logs its browser out. */
const erase =
  (sessions: Sessions, holders: Holders): FormHandler =>
  async (view, { fields }) => {
    const { ctx, ip } = view;
    const { user } = view.viewer;
    const proof = readProof(fields);
    await proveOwner(ctx, { user, proof, ip });
    await eraseUser(ctx, user.id, holders());
    await logOut(view, sessions);
    return '/goodbye';
  };

const goodbyePage: PageHandler<{}, View> = (view) => {
  const say = speak(settingsTexts, view.language);
  view.header('x-robots-tag', 'noindex');
  return sitePage(view, {
    title: say('erased'),
    main: html`<h1>${say('erased')}</h1>
<p class="lead">${say('erased_lead')}</p>
<p><a href="/">${view.say('home')}</a></p>`,
  });
};
