import { changeNotificationPrefs } from '../../identity/accounts/accounts.ts';
import { notificationTypes, type NotificationType } from '../../identity/accounts/schema.ts';
import type { Context } from '../../platform/context.ts';
import { html } from '../../platform/html.ts';
import { page } from '../../platform/pages/page.ts';
import type { Call, RawAnswer } from '../../platform/http/route.ts';
import { equalInConstantTime, type Keys } from '../../platform/keys.ts';
import { notFound } from '../../platform/problems.ts';
import { subjects } from './texts.ts';

/** Whose mails of which kinds a link switches off. */
interface Unsubscribing {
  userId: string;
  types: NotificationType[];
}

/** What a link carries: nothing is stored of it, and it works for as long as SECRET stays. */
export function unsubscribeToken(keys: Keys, { userId, types }: Unsubscribing): string {
  const claim = [userId, ...types].join('.');
  return `${claim}.${keys.hash('unsubscribe', claim).toString('base64url')}`;
}

/** @throws {Problem} not-found where we did not make the token */
function readToken(keys: Keys, token: string): Unsubscribing {
  const [userId = '', ...rest] = token.split('.').slice(0, -1);
  const types = notificationTypes.filter((type) => rest.includes(type));
  if (!equalInConstantTime(unsubscribeToken(keys, { userId, types }), token)) {
    throw notFound('link');
  }
  return { userId, types };
}

type Header = Call['header'];

/** Asks whether mails are to stop. It changes nothing, since scanners of mail open every link. */
export function askToUnsubscribe(ctx: Context, token: string, header: Header): RawAnswer {
  const { types } = readToken(ctx.keys, token);
  return page(header, {
    title: 'Stop these mails',
    main: html`<h1>Stop these mails?</h1><p>You get mails about:</p>${listOf(types)}
<form method="post"><button>Stop them</button></form>`,
  });
}

/** Switches mails of these kinds off for that person (RFC 8058). */
export async function unsubscribe(ctx: Context, token: string, header: Header): Promise<RawAnswer> {
  const { userId, types } = readToken(ctx.keys, token);
  const email = Object.fromEntries(types.map((type) => [type, false]));
  // Of an account that was erased there are no mails to stop.
  await changeNotificationPrefs(ctx.db, userId, { email });
  return page(header, {
    title: 'Mails stopped',
    main: html`<h1>Done</h1><p>You get no more mails about:</p>${listOf(types)}`,
  });
}

const listOf = (types: NotificationType[]) =>
  html`<ul>${types.map((type) => html`<li>${subjects[type]}</li>`)}</ul>`;
