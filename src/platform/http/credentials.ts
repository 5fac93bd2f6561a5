export type UserRole = 'user' | 'moderator' | 'admin';

/** OAuth scopes. The slice that owns a scope adds it here by module augmentation, so that typos do not compile. */
export interface OAuthScopes {}
export type OAuthScope = keyof OAuthScopes;

/** Levels of API keys: each allows what those before it allow. */
export const keyLevels = ['read', 'read_write', 'full'] as const;
export type KeyLevel = (typeof keyLevels)[number];

/** The kind of credentials that a caller has shown, and what they allow. */
export type Credential =
  | { kind: 'login' }
  /** `orgId` is the organization for which the key acts, if any. */
  | { kind: 'api_key'; keyId: string; level: KeyLevel; orgId: string | null }
  | { kind: 'oauth'; clientId: string; scopes: readonly OAuthScope[] };

/** Who is calling, by the credentials of the request. */
export interface Caller {
  userId: string;
  role: UserRole;
  /** Of the session, grant or key that the token belongs to. */
  sessionId: string;
  /** Requests are counted by it. */
  tokenId: string;
  /** When the token expires, in seconds since 1970; Infinity for keys that never expire. */
  expiresAt: number;
  credential: Credential;
}

/** The organization for which a caller's API key acts, if any. */
export const organizationOf = ({ credential }: Caller): string | null =>
  credential.kind === 'api_key' ? credential.orgId : null;

/**
 * Who may call. `owner` is a user who owns the thing in the path: the slice's policy decides it after reading the
 * thing. Credentials that are sent must be valid for every access.
 */
export type Access = 'anyone' | 'user' | 'owner' | 'moderator' | 'admin';

/** Who may call, and with which credentials. */
export interface Auth<A extends Access = Access> {
  access: A;
  /**
   * OAuth scope that a call needs unless anyone may call. Without a scope, a call needs a login token or a full API
   * key.
   */
  scope?: OAuthScope;
  /** API keys must be full, even if the method alone would not require it. */
  fullKeysOnly?: boolean;
  /** Keys that act for an organization may not call: the data belongs to their creator. */
  denyOrganizationKeys?: boolean;
  /**
   * Refuses credentials that do not reach the scope, though anyone may call: otherwise the call would be anonymous by
   * mistake.
   */
  rejectInsufficientScope?: boolean;
  /** Ignores credentials: an expired token that a client always sends must not keep it from getting a new one. */
  ignoresCredentials?: boolean;
}

/** What a call requires of credentials. */
export interface AccessRules {
  method: string;
  auth: Auth;
}

/** The lowest level that an API key must have for the call: docs/specification/access.md, Key levels. */
export function keyLevelFor({ method, auth }: AccessRules): KeyLevel {
  if (!auth.scope || auth.fullKeysOnly || method === 'DELETE') return 'full';
  return method === 'GET' ? 'read' : 'read_write';
}
