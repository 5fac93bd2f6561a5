import { html } from '../../platform/html.ts';
import { page } from '../../platform/pages/page.ts';
import { scopeDescriptions } from '../../platform/http/openapi.ts';
import type { Call, OAuthScope, RawAnswer } from '../../platform/http/route.ts';
import type { Problem } from '../../platform/problems.ts';
import { placeOf } from './redirects.ts';

interface LoginPage {
  /** Of the application that the user comes from, as its owner calls it. */
  clientName: string;
  redirectUri: string;
  ticket: string;
  email?: string;
  /** Why it is shown again. */
  failure?: Problem;
}

/** Asks who is there. */
export function loginPage(header: Call['header'], asked: LoginPage): RawAnswer {
  const { clientName, redirectUri, ticket, email = '', failure } = asked;
  return page(header, {
    title: 'Log in',
    status: failure?.status ?? 200,
    formsLeadTo: formsLeadTo(redirectUri),
    main: html`<h1>Log in</h1>
<p>to go on with ${nameOf(clientName)}</p>
${failure && html`<p role="alert">${failure.message}</p>`}
<form method="post" action="/oauth/login">${hidden(ticket)}
<p class="field"><label for="email">Email address</label>
<input id="email" type="email" name="email" value="${email}" autocomplete="username" required></p>
<p class="field"><label for="password">Password</label>
<input id="password" type="password" name="password" autocomplete="current-password" required></p>
<button>Log in</button>
</form>`,
  });
}

interface ConsentPage {
  clientName: string;
  redirectUri: string;
  scopes: OAuthScope[];
  ticket: string;
  user: { display_name: string; email: string };
  /** Somebody else may be at this browser. */
  maySwitch: boolean;
}

/** Asks whether an application may do what it asks for. */
export function consentPage(header: Call['header'], asked: ConsentPage): RawAnswer {
  const { clientName, redirectUri, scopes, ticket, user, maySwitch } = asked;
  const rights = scopes.map((scope) => html`<li>${scopeDescriptions[scope]}</li>`);
  return page(header, {
    title: 'Allow access?',
    formsLeadTo: formsLeadTo(redirectUri),
    main: html`<h1>${nameOf(clientName)} asks for access to your account</h1>
<p>You are logged in as ${nameOf(user.display_name)} (${user.email}). If you allow it, this
application may:</p>
<ul>${rights}</ul>
<p>You can withdraw this at any time. You go on to <strong>${placeOf(redirectUri)}</strong>.</p>
<form method="post" action="/oauth/authorize">${hidden(ticket)}
<button name="decision" value="allow">Allow</button>
<button class="second" name="decision" value="deny">Deny</button>
${maySwitch && html`<button class="second" name="decision" value="switch">Use another account</button>`}
</form>`,
  });
}

const hidden = (ticket: string) => html`<input type="hidden" name="ticket" value="${ticket}">`;

/** A name that somebody gave: apart from the rest, whatever direction it is written in. */
const nameOf = (name: string) => html`<strong><bdi>${name}</bdi></strong>`;

/**
 * Browsers hold every redirect that follows a form against form-action, those of the application's own
 * site included, so it names a kind of address and not one.
 */
const formsLeadTo = (redirectUri: string) =>
  [...new Set(["'self'", 'https:', new URL(redirectUri).protocol])].join(' ');
