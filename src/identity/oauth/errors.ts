import type { FailureFormat } from '../../platform/http/route.ts';
import { Problem, problemKinds, type ProblemKind } from '../../platform/problems.ts';
import { OAuthFailure } from './schema.ts';

/** Error codes of RFC 6749 sections 4.1.2.1 and 5.2 that this server uses. */
export const oauthErrors = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
  'invalid_scope',
  'access_denied',
] as const;
export type OAuthErrorCode = (typeof oauthErrors)[number];

/** Returns a failure with a code of RFC 6749. */
export function oauthError(
  error: OAuthErrorCode,
  description: string,
  headers: Record<string, string> = {},
): Problem {
  const kind = error === 'invalid_client' ? 'unauthorized' : 'invalid-request';
  return new Problem(kind, description, { localCode: error, headers });
}

/** Renders failures as `{error, error_description}` (RFC 6749 section 5.2). */
export const asOAuthError: FailureFormat = {
  mediaType: 'application/json; charset=utf-8',
  schema: OAuthFailure,
  statusOf: (kind) => (kind === 'validation-failed' ? 400 : problemKinds[kind].status),
  write(problem, { header }) {
    header('cache-control', 'no-store');
    const error = codeOf(problem) ?? errorFor(problem.kind);
    return JSON.stringify({ error, error_description: describe(problem) });
  },
};

/** Returns the code of a failure that RFC 6749 defines; undefined for any other. */
export const codeOf = ({ localCode }: Problem): OAuthErrorCode | undefined =>
  oauthErrors.find((known) => known === localCode);

function errorFor(kind: ProblemKind): string {
  if (kind === 'internal-error') return 'server_error';
  if (kind === 'unavailable' || kind === 'rate-limited') return 'temporarily_unavailable';
  return 'invalid_request';
}

/** Describes a failure in the characters that RFC 6749 allows. */
export function describe({ errors, message }: Problem): string {
  const fields = errors?.map((error) => `${error.field || 'the body'}: ${error.message}`);
  return (fields?.join(' ') ?? message).replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, ' ');
}
