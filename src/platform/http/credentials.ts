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
