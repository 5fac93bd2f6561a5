import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../../platform/context.ts';
import { forbidden } from '../../platform/problems.ts';
import { browserOf, isFromOwnPage } from '../browser-sessions/browser-sessions.ts';
import type { Sessions } from '../sessions/sessions.ts';

/** How long a form may wait, in milliseconds. */
const formLifetime = 1_800_000;

/** What a form of ours brings back: to whom it was given, and what for. */
export interface Ticket {
  form: 'login' | 'consent';
  /** The browser's; or that of a bearer token, where one was shown. */
  sessionId: string;
  /** There is no cookie to hold the ticket against: who got it had a bearer token. */
  bearer: boolean;
  userId: string | null;
  /** The request for authorization, as a query. */
  query: string;
  /** What the user is asked to allow, with spaces between. */
  scope: string;
  expiresAt: number;
}

/** Seals what a form must bring back. */
export function issueTicket(ctx: Context, ticket: Omit<Ticket, 'expiresAt'>): string {
  const expiresAt = ctx.now().getTime() + formLifetime;
  return ctx.keys
    .seal('oauth-form', JSON.stringify({ ...ticket, expiresAt }))
    .toString('base64url');
}

/**
 * What a form brings back.
 * @throws {Problem} forbidden where another site sent it, or another browser, or it is too old
 */
export function redeemTicket(
  ctx: Context,
  sessions: Sessions,
  headers: IncomingHttpHeaders,
  { form, text }: { form: Ticket['form']; text: string },
): Ticket {
  if (!isFromOwnPage(ctx, headers)) throw forbidden('This form was sent from another site.');
  const ticket = open(ctx, text);
  if (ticket?.form !== form || !isGivenTo(ctx, sessions, headers, ticket)) {
    throw forbidden('This page is too old. Go back to the application, and begin again.');
  }
  return ticket;
}

function isGivenTo(
  ctx: Context,
  sessions: Sessions,
  headers: IncomingHttpHeaders,
  { sessionId, bearer, userId }: Ticket,
): boolean {
  if (!bearer) return browserOf(ctx, sessions, headers)?.id === sessionId;
  return userId !== null && !sessions.revocations.revocationOf(sessionId, userId);
}

/** What `issueTicket` made, or undefined where it was not made here or has expired. */
function open(ctx: Context, sealed: string): Ticket | undefined {
  try {
    const text = ctx.keys.unseal('oauth-form', Buffer.from(sealed, 'base64url'));
    const ticket = JSON.parse(text) as Ticket;
    return ticket.expiresAt > ctx.now().getTime() ? ticket : undefined;
  } catch {
    return undefined;
  }
}
