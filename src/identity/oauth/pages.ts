import { html, type Html } from '../../platform/html.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { failureText } from '../../platform/pages/problem-pages.ts';
import { languageOf } from '../../platform/pages/language.ts';
import { page } from '../../platform/pages/page.ts';
import type { Call, OAuthScope, RawAnswer } from '../../platform/http/route.ts';
import type { Problem } from '../../platform/problems.ts';
import type { UserRow } from '../accounts/accounts.ts';
import type { ClientRow } from './client-queries.ts';
import { redirectTargetName } from './redirects.ts';
import type { AuthorizeQuery } from './schema.ts';
import { oauthTexts } from './texts.ts';

type PageCall = Pick<Call, 'ctx' | 'header' | 'headers'>;

interface OAuthPage {
  client: ClientRow;
  query: AuthorizeQuery;
  ticket: string;
}

interface LoginPage extends OAuthPage {
  email?: string;
  /** Why the form is shown again. */
  failure?: Problem;
}

/** Returns the page that asks the user to log in. */
export function loginPage(call: PageCall, options: LoginPage): RawAnswer {
  const { client, query, ticket, email = '', failure } = options;
  const language = languageOf(call.headers, call.ctx.site.current);
  const say = speak(oauthTexts, language);
  const next = encodeURIComponent(`/oauth/authorize?${new URLSearchParams(query).toString()}`);
  return oauthPage(call, query, {
    title: say('log_in'),
    ...(failure && { status: failure.status }),
    main: html`<h1>${say('log_in')}</h1>
<p class="lead">${say('log_in_for', { client: nameOf(client.name) })}</p>
${failure && html`<p role="alert">${failureText(language, failure)}</p>`}
<form method="post" action="/oauth/login">${hidden(ticket)}
<div class="field"><label for="email">${say('email')}</label>
<input id="email" type="email" name="email" value="${email}" autocomplete="username" required></div>
<div class="field"><label for="password">${say('password')}</label>
<input id="password" type="password" name="password" autocomplete="current-password" required></div>
<button class="large">${say('log_in')}</button>
</form>
<p><a href="/forgot-password">${say('forgot')}</a> · <a href="/register?next=${next}">${say('register')}</a></p>`,
  });
}

interface ConsentPage extends OAuthPage {
  scopes: OAuthScope[];
  user: UserRow;
  /** Whether the user can log in with another account. */
  canSwitch: boolean;
}

/** Returns the page that asks the user to allow an application. */
export function consentPage(call: PageCall, options: ConsentPage): RawAnswer {
  const { client, query, ticket, scopes, user, canSwitch } = options;
  const say = speak(oauthTexts, languageOf(call.headers, call.ctx.site.current));
  return oauthPage(call, query, {
    title: say('consent_title'),
    main: html`<h1>${say('consent', { client: nameOf(client.name) })}</h1>
<p>${say('logged_in_as', { name: nameOf(user.display_name), email: html`<bdi>${user.email}</bdi>` })}</p>
<section class="panel"><p>${say('may')}</p>
<ul>${scopes.map((scope) => html`<li>${say(scope)}</li>\n`)}</ul></section>
<p>${say('withdraw')} ${say('go_on', { place: html`<strong><bdi>${redirectTargetName(query.redirect_uri)}</bdi></strong>` })}</p>
<form class="row" method="post" action="/oauth/authorize">${hidden(ticket)}
<button name="decision" value="allow">${say('allow')}</button>
<button class="second" name="decision" value="deny">${say('deny')}</button>
${canSwitch && html`<button class="plain" name="decision" value="switch">${say('other_account')}</button>`}
</form>`,
  });
}

function oauthPage(
  { ctx, header, headers }: PageCall,
  { redirect_uri }: AuthorizeQuery,
  content: { title: Html; main: Html; status?: number },
): RawAnswer {
  header('x-robots-tag', 'noindex');
  header('vary', 'Accept-Language, Authorization, Cookie');
  return page(header, {
    ...content,
    site: ctx.site.current,
    language: languageOf(headers, ctx.site.current),
    formsLeadTo: formsLeadTo(redirect_uri),
  });
}

const hidden = (ticket: string) => html`<input type="hidden" name="ticket" value="${ticket}">`;

/** Isolates a user-provided name from the direction of the surrounding text. */
const nameOf = (name: string) => html`<strong><bdi>${name}</bdi></strong>`;

/**
 * Returns the sources of form-action. Browsers check every redirect after a form against it, those of the
 * application's own site too, so it names schemes instead of one address.
 */
const formsLeadTo = (redirectUri: string) =>
  [...new Set(["'self'", 'https:', new URL(redirectUri).protocol])].join(' ');
