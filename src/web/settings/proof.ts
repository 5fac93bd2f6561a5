import { isProven } from '../../identity/accounts/accounts.ts';
import { createChallenge } from '../../identity/mail-challenges/mail-challenges.ts';
import { Code } from '../../identity/mail-challenges/schema.ts';
import { Type } from 'typebox';
import { html, type Html } from '../../platform/html.ts';
import { speak } from '../../platform/pages/catalog.ts';
import {
  digitsIn,
  formFor,
  readForm,
  textOf,
  type Fields,
  type FormHandler,
  type FormState,
  type OwnView,
} from '../site/site.ts';
import { settingsTexts } from './texts.ts';

const Proof = Type.Object({
  password: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  challenge: Type.Optional(Type.String({ format: 'uuid' })),
  code: Type.Optional(Code),
});

/** Whether the viewer can prove who they are by a form now: by a password, or a code that was mailed. */
export const canProve = ({ viewer }: OwnView, challenge: string): boolean =>
  viewer.user.password_hash !== null || challenge !== '';

/** The field with this id that proves who the viewer is: for the code of a challenge, else for the password. */
export function proofField(
  view: OwnView,
  state: FormState,
  { challenge, id }: { challenge: string; id: string },
): Html {
  const say = speak(settingsTexts, view.language);
  const form = formFor(view, state, Proof);
  if (challenge !== '') {
    return html`<input type="hidden" name="challenge" value="${challenge}">${form.text('code', {
      id,
      label: say('proof_code'),
      required: true,
      digits: 6,
    })}`;
  }
  return form.text('password', {
    id,
    label: say('proof_password'),
    hint: html`${say('erase_forgotten')} <a href="/settings#email">${say('send_link')}</a>`,
    type: 'password',
    autocomplete: 'current-password',
    required: true,
  });
}

/** Reads that field. */
export const readProof = (fields: Fields) =>
  readForm(Proof, fields, ['password', 'challenge', 'code'], {
    untrimmed: ['password'],
    read: { code: (text) => digitsIn(text) || undefined },
    required: textOf(fields, 'challenge') === '' ? ['password'] : ['code'],
  });

/**
 * Returns what counts mails apart that the viewer asks for, so that others cannot use them up. Undefined while the address
 * of the account is not proven: it may be that of somebody else.
 */
export const ownerOf = ({ user }: OwnView['viewer']): string | undefined =>
  isProven(user) ? user.id : undefined;

/** Mails a code to the address of the account, and leads to the page that asks for it. */
export const sendCodeFor =
  (page: string): FormHandler =>
  async ({ ctx, ip, language, viewer, browser }) => {
    const { challenge } = await createChallenge(ctx, {
      email: viewer.user.email,
      redirect: null,
      language,
      ip,
      browserId: browser?.id,
      knownBrowserId: ownerOf(viewer),
    });
    return `${page}?challenge=${challenge}`;
  };
