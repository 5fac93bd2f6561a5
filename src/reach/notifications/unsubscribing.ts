import { changeNotificationPrefs } from '../../identity/accounts/accounts.ts';
import { notificationTypes, type NotificationType } from '../../identity/accounts/schema.ts';
import { html } from '../../platform/html.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { languageOf } from '../../platform/pages/language.ts';
import { page } from '../../platform/pages/page.ts';
import type { Call, RawAnswer } from '../../platform/http/route.ts';
import { equalInConstantTime, type Keys } from '../../platform/keys.ts';
import { notFound } from '../../platform/problems.ts';
import { noticeTexts, subjectOf } from './texts.ts';

/** The mails that a link switches off. */
interface Unsubscribing {
  userId: string;
  types: NotificationType[];
}

/** Returns a signed token. It is not stored and stays valid until SECRET changes. */
export const unsubscribeToken = (keys: Keys, { userId, types }: Unsubscribing): string =>
  signClaim(keys, [userId, ...types].join('.'));

const signClaim = (keys: Keys, claim: string) =>
  `${claim}.${keys.hash('unsubscribe', claim).toString('base64url')}`;

/**
 * Reads a token, whatever the order of its types: those of earlier mails stand in the order of their notices. Types that
 * exist no more are left out.
 * @throws {Problem} not-found if the signature is wrong
 */
function readToken(keys: Keys, token: string): Unsubscribing {
  const claim = token.slice(0, Math.max(0, token.lastIndexOf('.')));
  if (!equalInConstantTime(signClaim(keys, claim), token)) throw notFound('link');
  const [userId = '', ...rest] = claim.split('.');
  return { userId, types: notificationTypes.filter((type) => rest.includes(type)) };
}

type PageCall = Pick<Call, 'ctx' | 'headers' | 'header'>;

/** Returns a page that asks for confirmation. Changes nothing, since mail scanners open every link. */
export function askToUnsubscribe(call: PageCall, token: string): RawAnswer {
  const { types } = readToken(call.ctx.keys, token);
  return stopPage(call, 'stop', types);
}

/** Switches off the mails that the link is for (RFC 8058). */
export async function unsubscribe(call: PageCall, token: string): Promise<RawAnswer> {
  const { userId, types } = readToken(call.ctx.keys, token);
  const email = Object.fromEntries(types.map((type) => [type, false]));
  // Does nothing for an erased account.
  await changeNotificationPrefs(call.ctx.db, userId, { email });
  return stopPage(call, 'stopped', types);
}

function stopPage(
  { ctx, headers, header }: PageCall,
  step: 'stop' | 'stopped',
  types: NotificationType[],
): RawAnswer {
  const language = languageOf(headers, ctx.site.current);
  const say = speak(noticeTexts, language);
  const next =
    step === 'stop'
      ? html`<form method="post"><button>${say('stop')}</button></form>`
      : html`<p><a href="/settings#notifications">${say('all_settings')}</a></p>`;
  header('x-robots-tag', 'noindex');
  header('vary', 'Accept-Language, Cookie');
  return page(header, {
    title: say(`${step}_title`),
    language,
    site: ctx.site.current,
    main: html`<h1>${say(`${step}_title`)}</h1>
<div class="panel"><p>${say(`${step}_about`)}</p>
<ul>${types.map((type) => html`<li>${subjectOf(type, language)}</li>\n`)}</ul>
${next}</div>`,
  });
}
