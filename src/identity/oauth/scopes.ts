import type { OAuthScope } from '../../platform/http/route.ts';
import { oauthError } from './errors.ts';
import { oauthScopes } from './schema.ts';

/**
 * Returns the requested scopes in their usual order; all allowed ones if the request names none.
 * @throws {Problem} invalid_scope for one that is unknown or not allowed
 */
export function requestedScopes(
  requested: string | undefined,
  allowed: readonly OAuthScope[],
): OAuthScope[] {
  const named = (requested ?? '').split(' ').filter(Boolean);
  if (named.length === 0) return [...allowed];
  const wrong = named.find((scope) => !(allowed as readonly string[]).includes(scope));
  if (wrong !== undefined) {
    throw oauthError('invalid_scope', `The scope ${wrong} is unknown, or not allowed here.`);
  }
  return inOrder(named);
}

/** Returns the known scopes, each once, in their usual order. */
export const inOrder = (scopes: readonly string[]): OAuthScope[] =>
  oauthScopes.filter((scope) => scopes.includes(scope));

/** Returns those of the scopes that the client can still request. */
export const stillAllowed = (
  scopes: readonly OAuthScope[],
  client: { scopes: readonly OAuthScope[] },
): OAuthScope[] => scopes.filter((scope) => client.scopes.includes(scope));
