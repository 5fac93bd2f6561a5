import { mailedSecrets } from '../../platform/mailed-secrets.ts';

export const { linkToken, tokenHash, codeOf, browserHash } = mailedSecrets('pending-report');
