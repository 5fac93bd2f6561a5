import type { OAuthScope } from '../../platform/http/route.ts';
import { oauthError } from './errors.ts';
import { oauthScopes } from './schema.ts';

/**
 * The scopes that a request asks for, in their usual order; all that are allowed where it names none.
 * @throws {Problem} invalid_scope for one that is unknown or not allowed
 */
export function requestedScopes(
  scope: string | undefined,
  allowed: readonly OAuthScope[],
): OAuthScope[] {
  const named = (scope ?? '').split(' ').filter(Boolean);
  if (named.length === 0) return [...allowed];
  const wrong = named.find((one) => !(allowed as readonly string[]).includes(one));
  if (wrong !== undefined) {
    throw oauthError('invalid_scope', `The scope ${wrong} is unknown, or not allowed here.`);
  }
  return inOrder(named);
}

/** Known scopes, each once, in their usual order. */
export const inOrder = (scopes: readonly string[]): OAuthScope[] =>
  oauthScopes.filter((scope) => scopes.includes(scope));

/** Those of the scopes that a client may still ask for. */
export const stillAllowed = (
  scopes: readonly OAuthScope[],
  client: { scopes: readonly OAuthScope[] },
): OAuthScope[] => scopes.filter((scope) => client.scopes.includes(scope));
