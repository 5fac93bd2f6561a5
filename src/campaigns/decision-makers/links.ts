import { mailedSecrets } from '../../platform/mailed-secrets.ts';

/** A link to the portal has no code, and is bound to no browser. */
export const { linkToken, tokenHash } = mailedSecrets('respond-token');
