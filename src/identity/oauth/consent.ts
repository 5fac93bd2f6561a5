import type { Static } from 'typebox';
import type { Context } from '../../platform/context.ts';
import { dropCookie } from '../../platform/cookies.ts';
import { redirectTo, type Call, type RawAnswer } from '../../platform/http/route.ts';
import { forbidden, Problem } from '../../platform/problems.ts';
import type { UserRow } from '../accounts/accounts.ts';
import {
  browserOf,
  renewBrowser,
  setVisitorCookie,
  logInWithPassword,
  userOf,
} from '../browser-sessions/browser-sessions.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { issueCode, responseUri, requestingClient, readRequest } from './authorization.ts';
import type { ClientRow } from './client-queries.ts';
import { codeOf, describe } from './errors.ts';
import { consentPage, loginPage } from './pages.ts';
import type { AuthorizeQuery, ConsentForm, LoginForm } from './schema.ts';
import { issueTicket, redeemTicket, type Ticket } from './tickets.ts';

/** A user whom an application sent here. */
interface Visit {
  user: UserRow;
  sessionId: string;
  /** Authenticated by a bearer token instead of a browser session. */
  bearer: boolean;
}

/**
 * Asks the user to log in, if needed, and to allow the client. Never redirects before the login,
 * not even with a failure: otherwise this address would be an open redirector to any registered client
 * (RFC 9700 section 4.11.2).
 */
export async function showRequest(
  sessions: Sessions,
  call: Call<unknown, AuthorizeQuery>,
): Promise<RawAnswer> {
  const { ctx, query } = call;
  const client = await requestingClient(ctx, query);
  const visit = await visitOf(sessions, call);
  if (!visit) return askForLogin(sessions, call, client);
  return orRedirectFailure(call, query, () => askForConsent(call, client, visit));
}

async function visitOf(
  sessions: Sessions,
  call: Call<unknown, AuthorizeQuery>,
): Promise<Visit | undefined> {
  const { ctx, caller } = call;
  const bearer = caller?.credential.kind === 'login';
  const session = bearer
    ? { id: caller.sessionId, userId: caller.userId }
    : await renewBrowser(sessions, call);
  const user = session && (await userOf(ctx, session.userId));
  return user && { user, sessionId: session.id, bearer };
}

function askForLogin(
  sessions: Sessions,
  call: Call<unknown, AuthorizeQuery>,
  client: ClientRow,
): RawAnswer {
  const { ctx, query, headers, header } = call;
  const { id } = setVisitorCookie(ctx, header, browserOf(ctx, sessions, headers));
  const ticket = issueTicket(ctx, {
    form: 'login',
    sessionId: id,
    bearer: false,
    userId: null,
    query: encodeQuery(query),
    scope: '',
  });
  return loginPage(call, { client, query, ticket });
}

function askForConsent(
  call: Call<unknown, AuthorizeQuery>,
  client: ClientRow,
  { user, sessionId, bearer }: Visit,
): RawAnswer {
  const { ctx, query } = call;
  const { scopes } = readRequest(client, query);
  const ticket = issueTicket(ctx, {
    form: 'consent',
    sessionId,
    bearer,
    userId: user.id,
    query: encodeQuery(query),
    scope: scopes.join(' '),
  });
  return consentPage(call, { client, query, ticket, scopes, user, canSwitch: !bearer });
}

/** Logs the user in and continues with the request. Shows the form again after a failure. */
export async function logIn(
  sessions: Sessions,
  call: Call<unknown, unknown, Static<typeof LoginForm>>,
): Promise<RawAnswer> {
  const { ctx, header, body } = call;
  const ticket = redeemTicket(sessions, call, 'login');
  try {
    await logInWithPassword(sessions, call, body);
    return redirectTo(header, `/oauth/authorize?${ticket.query}`, 303);
  } catch (failure) {
    if (!(failure instanceof Problem)) throw failure;
    const query = decodeQuery(ticket.query);
    const client = await requestingClient(ctx, query);
    for (const [name, value] of Object.entries(failure.headers)) header(name, value);
    return loginPage(call, { client, query, ticket: body.ticket, email: body.email, failure });
  }
}

/** Applies the user's decision and redirects to the application with the result. */
export async function decide(
  sessions: Sessions,
  call: Call<unknown, unknown, Static<typeof ConsentForm>>,
): Promise<RawAnswer> {
  const { ctx, header, body } = call;
  const ticket = redeemTicket(sessions, call, 'consent');
  const query = decodeQuery(ticket.query);
  if (body.decision === 'switch') {
    if (!ticket.bearer) await sessions.endSession(ctx, ticket.sessionId);
    dropCookie(ctx, header, 'kept_form');
    return redirectTo(header, `/oauth/authorize?${ticket.query}`);
  }
  const client = await requestingClient(ctx, query);
  if (body.decision === 'deny') {
    return redirectTo(header, responseUri(ctx, query, { error: 'access_denied' }));
  }
  return orRedirectFailure(call, query, async () => {
    const code = await allowAsShown(ctx, client, ticket);
    return redirectTo(header, responseUri(ctx, query, { code }));
  });
}

/** @throws {Problem} forbidden if the user was shown other scopes, or no longer exists */
async function allowAsShown(ctx: Context, client: ClientRow, ticket: Ticket): Promise<string> {
  const request = readRequest(client, decodeQuery(ticket.query));
  const user = await userOf(ctx, ticket.userId);
  if (!user || request.scopes.join(' ') !== ticket.scope) {
    throw forbidden('This has changed meanwhile. Go back to the application, and begin again.');
  }
  return issueCode(ctx, request, user.id);
}

/** Runs `work`. Redirects to the client with a failure that RFC 6749 defines. */
async function orRedirectFailure(
  { ctx, header }: Pick<Call, 'ctx' | 'header'>,
  query: AuthorizeQuery,
  work: () => RawAnswer | Promise<RawAnswer>,
): Promise<RawAnswer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const code = codeOf(error);
    if (!code) throw error;
    const answer = { error: code, error_description: describe(error) };
    return redirectTo(header, responseUri(ctx, query, answer));
  }
}

const encodeQuery = (query: AuthorizeQuery) => new URLSearchParams(query).toString();
const decodeQuery = (query: string) =>
  Object.fromEntries(new URLSearchParams(query)) as AuthorizeQuery;
