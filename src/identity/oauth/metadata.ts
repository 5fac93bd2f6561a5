import { oauthScopes } from './schema.ts';
import { grantTypes } from './exchange.ts';
import type { ServerMetadata } from './schema.ts';

const confidentialMethods = ['client_secret_basic', 'client_secret_post'];
const allMethods = [...confidentialMethods, 'none'];

/** Returns the authorization server metadata (RFC 8414 section 2). */
export const serverMetadata = (baseUrl: string): ServerMetadata => ({
  issuer: baseUrl,
  authorization_endpoint: `${baseUrl}/oauth/authorize`,
  token_endpoint: `${baseUrl}/oauth/token`,
  revocation_endpoint: `${baseUrl}/oauth/revoke`,
  introspection_endpoint: `${baseUrl}/oauth/introspect`,
  jwks_uri: `${baseUrl}/.well-known/jwks.json`,
  service_documentation: `${baseUrl}/docs`,
  scopes_supported: [...oauthScopes],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: grantTypes,
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: allMethods,
  revocation_endpoint_auth_methods_supported: allMethods,
  introspection_endpoint_auth_methods_supported: confidentialMethods,
  authorization_response_iss_parameter_supported: true,
});
