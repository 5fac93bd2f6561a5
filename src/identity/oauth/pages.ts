import { escapeHtml, page } from '../../platform/html.ts';
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
    body: `<main><h1>Log in</h1>
<p>to go on with ${nameOf(clientName)}</p>
${failure ? `<p role="alert">${escapeHtml(failure.message)}</p>` : ''}
<form method="post" action="/oauth/login">${hidden(ticket)}
<label>Email address
<input type="email" name="email" value="${escapeHtml(email)}" autocomplete="username" required></label>
<label>Password
<input type="password" name="password" autocomplete="current-password" required></label>
<button>Log in</button>
</form></main>`,
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
  const rights = scopes.map((scope) => `<li>${escapeHtml(scopeDescriptions[scope])}</li>`);
  return page(header, {
    title: 'Allow access?',
    formsLeadTo: formsLeadTo(redirectUri),
    body: `<main><h1>${nameOf(clientName)} asks for access to your account</h1>
<p>You are logged in as ${nameOf(user.display_name)} (${escapeHtml(user.email)}). If you allow it, this
application may:</p>
<ul>${rights.join('\n')}</ul>
<p>You can withdraw this at any time. You go on to <strong>${escapeHtml(placeOf(redirectUri))}</strong>.</p>
<form method="post" action="/oauth/authorize">${hidden(ticket)}
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button>
${maySwitch ? '<button name="decision" value="switch">Use another account</button>' : ''}
</form></main>`,
  });
}

const hidden = (ticket: string) =>
  `<input type="hidden" name="ticket" value="${escapeHtml(ticket)}">`;

/** A name that somebody gave: apart from the rest, whatever direction it is written in. */
const nameOf = (name: string) => `<strong><bdi>${escapeHtml(name)}</bdi></strong>`;

/**
 * Browsers hold every redirect that follows a form against form-action, those of the application's own
 * site included, so it names a kind of address and not one.
 */
const formsLeadTo = (redirectUri: string) =>
  [...new Set(["'self'", 'https:', new URL(redirectUri).protocol])].join(' ');
