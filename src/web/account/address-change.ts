import type { Credentials } from '../../identity/credentials/credentials.ts';
import { AddressToken } from '../../identity/credentials/schema.ts';
import { html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import {
  actionForm,
  noIndex,
  readForm,
  reportProblem,
  sitePage,
  type PageHandler,
  type Site,
  type View,
} from '../site/site.ts';
import { accountTexts } from './texts.ts';

/** The pages of the links in mails about a change of address. Opening them changes nothing: their buttons do. */
export const addressChangeRoutes = (site: Site, credentials: Credentials): Route[] => [
  ...site.page({
    id: 'showAddressConfirmation',
    closedToCrawlers: true,
    path: '/email/confirm',
    access: 'anyone',
    show: pageFor('confirm'),
    forms: {
      confirm: {
        id: 'submitAddressConfirmation',
        async act({ ctx, headers }, { fields }) {
          const { token } = readForm(AddressToken, fields, ['token']);
          await credentials.confirmAddress(ctx, token, headers);
          return '/email/confirm?done=address_confirmed';
        },
      },
    },
  }),
  ...site.page({
    id: 'showAddressUndo',
    closedToCrawlers: true,
    path: '/email/undo',
    access: 'anyone',
    show: pageFor('undo'),
    forms: {
      undo: {
        id: 'submitAddressUndo',
        async act({ ctx }, { fields }) {
          await credentials.undoAddress(ctx, readForm(AddressToken, fields, ['token']).token);
          return '/email/undo?done=address_undone';
        },
      },
    },
  }),
];

const texts = {
  confirm: {
    title: 'address_confirm',
    lead: 'address_confirm_lead',
    done: 'address_confirmed',
  },
  undo: { title: 'address_undo', lead: 'address_undo_lead', done: 'address_undone' },
} as const;

const pageFor =
  (kind: keyof typeof texts): PageHandler<{}, View> =>
  (view, { query: { token, done }, refused }) => {
    const say = speak(accountTexts, view.language);
    const { title, lead, done: doneText } = texts[kind];
    const form = html`<p>${say(lead)}</p>
${actionForm(view, { action: `/email/${kind}`, hidden: { token }, submit: say(title), buttonClass: 'large' })}`;
    const content = refused
      ? reportProblem(view, refused)
      : done === doneText
        ? html`<p role="status">${say(doneText)}</p>`
        : token
          ? form
          : html`<p role="alert">${say('no_token')}</p>`;
    return sitePage(view, {
      title: say(title),
      head: noIndex,
      main: html`<h1>${say(title)}</h1>\n${content}`,
    });
  };
