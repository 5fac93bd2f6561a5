import { mailedSecrets } from '../../platform/mailed-secrets.ts';

/** An invitation has no code, and is bound to no browser. */
export const { linkToken, tokenHash } = mailedSecrets('organizer-invitation');
