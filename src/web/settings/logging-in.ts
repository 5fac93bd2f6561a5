import { addressAsTyped } from '../../identity/accounts/accounts.ts';
import type { Credentials } from '../../identity/credentials/credentials.ts';
import { AddressChange, PasswordChange } from '../../identity/credentials/schema.ts';
import { html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import {
  actionForm,
  doneNotice,
  formFor,
  panel,
  postForm,
  readForm,
  sitePage,
  stateOf,
  textOf,
  type FormHandler,
  type OwnView,
  type PageHandler,
  type PageRequest,
  type Site,
} from '../site/site.ts';
import { canProve, proofField, readProof, sendCodeFor } from './proof.ts';
import { settingsTexts } from './texts.ts';

const path = '/settings/login';

/** How one logs in: the address, and the password or none. */
export const loggingInRoutes = (site: Site, credentials: Credentials): Route[] => {
  const request = ({ ip, viewer }: OwnView) => ({ caller: viewer.caller, ip });
  const changeAddress: FormHandler = async (view, { fields }) => {
    const change = readForm(AddressChange, fields, ['email'], { suggestsAddress: 'email' });
    const input = { ...change, ...readProof(fields) };
    await credentials.requestAddress(view.ctx, { ...request(view), input });
    return `${path}?done=address_asked`;
  };
  const changePassword: FormHandler = async (view, { fields }) => {
    const change = readForm(PasswordChange, fields, ['new_password'], {
      untrimmed: ['new_password'],
    });
    const input = { ...change, ...readProof(fields) };
    await credentials.changePassword(view.ctx, { ...request(view), input });
    return `${path}?done=password_changed`;
  };
  const removePassword: FormHandler = async (view, { fields }) => {
    await credentials.removePassword(view.ctx, { ...request(view), input: readProof(fields) });
    return `${path}?done=password_removed`;
  };
  return site.page({
    id: 'showLoggingIn',
    path,
    access: 'user',
    show: loggingInPage,
    forms: {
      address: { id: 'submitAddress', at: '/address', act: changeAddress },
      password: { id: 'submitPassword', at: '/password', act: changePassword },
      removal: { id: 'submitPasswordRemoval', at: '/password/remove', act: removePassword },
    },
    buttons: [{ id: 'submitLoginCode', at: '/code', act: sendCodeFor(path) }],
  });
};

const loggingInPage: PageHandler = (view, request) => {
  const say = speak(settingsTexts, view.language);
  const challenge =
    textOf(request.query, 'challenge') || textOf(request.refused?.values ?? {}, 'challenge');
  const title = say('logging_in');
  return sitePage(view, {
    title,
    main: html`<h1>${title}</h1>
${doneNotice(say, request.query.done, ['address_asked', 'password_changed', 'password_removed'])}${
      canProve(view, challenge)
        ? html`${panel(say('address'), addressForm(view, request, challenge))}${panel(say('password'), passwordForm(view, request, challenge))}${
            view.viewer.user.password_hash !== null &&
            panel(say('password_remove'), removalForm(view, request, challenge))
          }`
        : actionForm(view, {
            action: `${path}/code`,
            fields: html`<p>${say('login_by_code')}</p>\n`,
            submit: say('erase_send_code'),
          })
    }<p><a href="/settings">${view.say('settings')}</a></p>`,
  });
};

function addressForm(view: OwnView, request: PageRequest, challenge: string): Html {
  const say = speak(settingsTexts, view.language);
  const state = stateOf(request, 'address');
  return html`<p><bdi>${addressAsTyped(view.viewer.user)}</bdi></p>
${postForm(view, state, {
  action: `${path}/address`,
  fields: html`${formFor(view, state, AddressChange).text('email', {
    label: say('address_new'),
    hint: say('address_new_hint'),
    autocomplete: 'email',
    suggestsAddress: true,
  })}${proofField(view, state, { challenge, id: 'address-proof' })}`,
  submit: say('address_change'),
})}`;
}

function passwordForm(view: OwnView, request: PageRequest, challenge: string): Html {
  const say = speak(settingsTexts, view.language);
  const state = stateOf(request, 'password');
  return postForm(view, state, {
    action: `${path}/password`,
    fields: html`${formFor(view, state, PasswordChange).text('new_password', {
      label: say('password_new'),
      hint: say('password_new_hint'),
      type: 'password',
      autocomplete: 'new-password',
    })}${proofField(view, state, { challenge, id: 'password-proof' })}`,
    submit: say('password_change'),
  });
}

function removalForm(view: OwnView, request: PageRequest, challenge: string): Html {
  const say = speak(settingsTexts, view.language);
  const state = stateOf(request, 'removal');
  return html`<p>${say('password_remove_lead')}</p>
${postForm(view, state, {
  action: `${path}/password/remove`,
  fields: proofField(view, state, { challenge, id: 'removal-proof' }),
  submit: say('password_remove'),
  buttonClass: 'danger',
})}`;
}
