import { changeNotificationPrefs } from '../../identity/accounts/accounts.ts';
import { notificationTypes, type NotificationType } from '../../identity/accounts/schema.ts';
import { html, type Html } from '../../platform/html.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { languageOf } from '../../platform/pages/language.ts';
import { page } from '../../platform/pages/page.ts';
import type { Call, RawAnswer } from '../../platform/http/route.ts';
import { equalInConstantTime, type Keys } from '../../platform/keys.ts';
import { notFound } from '../../platform/problems.ts';
import { noticeTexts, subjectOf } from './texts.ts';

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

type Asked = Pick<Call, 'ctx' | 'headers' | 'header'>;

/** Asks whether mails are to stop. It changes nothing, since scanners of mail open every link. */
export function askToUnsubscribe(call: Asked, token: string): RawAnswer {
  const { types } = readToken(call.ctx.keys, token);
  return stopPage(
    call,
    'stop',
    types,
    (say) => html`<form method="post"><button>${say('stop')}</button></form>`,
  );
}

/** Switches mails of these kinds off for that person (RFC 8058). */
export async function unsubscribe(call: Asked, token: string): Promise<RawAnswer> {
  const { userId, types } = readToken(call.ctx.keys, token);
  const email = Object.fromEntries(types.map((type) => [type, false]));
  // Of an account that was erased there are no mails to stop.
  await changeNotificationPrefs(call.ctx.db, userId, { email });
  return stopPage(
    call,
    'stopped',
    types,
    (say) => html`<p><a href="/settings#notifications">${say('all_settings')}</a></p>`,
  );
}

type SayNotice = ReturnType<typeof speak<'stop' | 'all_settings'>>;

function stopPage(
  { headers, header }: Asked,
  step: 'stop' | 'stopped',
  types: NotificationType[],
  next: (say: SayNotice) => Html,
): RawAnswer {
  const language = languageOf(headers);
  const say = speak(noticeTexts, language);
  header('x-robots-tag', 'noindex');
  header('vary', 'Accept-Language, Cookie');
  return page(header, {
    title: say(`${step}_title`),
    language,
    main: html`<h1>${say(`${step}_title`)}</h1>
<div class="panel"><p>${say(`${step}_about`)}</p>
<ul>${types.map((type) => html`<li>${subjectOf(type, language)}</li>\n`)}</ul>
${next(say)}</div>`,
  });
}
