import type { Context } from '../../platform/context.ts';
import type { Call } from '../../platform/http/route.ts';
import { forbidden } from '../../platform/problems.ts';
import { browserOf, isFromOwnPage } from '../browser-sessions/browser-sessions.ts';
import type { Sessions } from '../sessions/sessions.ts';

const formLifetimeMs = 1_800_000;

/** State of a form, which is sealed into it: for whom it was rendered, and for which request. */
export interface Ticket {
  form: 'login' | 'consent';
  /** Session of the browser or of the bearer token. */
  sessionId: string;
  /** Rendered for a bearer token, so there is no cookie to compare with. */
  bearer: boolean;
  userId: string | null;
  /** The authorization request as a query string. */
  query: string;
  /** Scopes that the user is shown, separated by spaces. */
  scope: string;
  expiresAt: number;
}

/** Seals the state of a form. */
export function issueTicket(ctx: Context, ticket: Omit<Ticket, 'expiresAt'>): string {
  const expiresAt = ctx.now().getTime() + formLifetimeMs;
  return ctx.keys
    .seal('oauth-form', JSON.stringify({ ...ticket, expiresAt }))
    .toString('base64url');
}

/**
 * Returns the state of a submitted form.
 * @throws {Problem} forbidden if another site or browser sent it, or it has expired
 */
export function redeemTicket(
  sessions: Sessions,
  call: Call<unknown, unknown, { ticket: string }>,
  form: Ticket['form'],
): Ticket {
  const { ctx, headers, body } = call;
  if (!isFromOwnPage(ctx, headers)) throw forbidden('This form was sent from another site.');
  const ticket = open(ctx, body.ticket);
  if (ticket?.form !== form || !belongsTo(sessions, call, ticket)) {
    throw forbidden('This page is too old. Go back to the application, and begin again.');
  }
  return ticket;
}

function belongsTo(
  sessions: Sessions,
  { ctx, headers }: Call<unknown>,
  { sessionId, bearer, userId }: Ticket,
): boolean {
  if (!bearer) return browserOf(ctx, sessions, headers)?.id === sessionId;
  return userId !== null && !sessions.revocations.revocationOf(sessionId, userId);
}

/** Opens a sealed ticket. Returns undefined if it is forged or expired. */
function open(ctx: Context, sealed: string): Ticket | undefined {
  try {
    const text = ctx.keys.unseal('oauth-form', Buffer.from(sealed, 'base64url'));
    const ticket = JSON.parse(text) as Ticket;
    return ticket.expiresAt > ctx.now().getTime() ? ticket : undefined;
  } catch {
    return undefined;
  }
}
