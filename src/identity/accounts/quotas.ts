import type { Quota } from '../../platform/limits.ts';

/** Each registration costs a password hash, but many people behind one address may register on the same day. */
export const registrationQuota: Quota = { name: 'register', points: 300, durationSeconds: 3600 };

/** Mails to one account or address, by purpose. */
export const mailQuota: Quota = { name: 'mail-to-account', points: 5, durationSeconds: 3600 };

/** Text messages cost money, and the owner of the number may not have asked for them. */
export const textQuota: Quota = { name: 'text-to-number', points: 5, durationSeconds: 86_400 };

/** Wrong passwords of one account. */
export const passwordQuota: Quota = { name: 'login-account', points: 5, durationSeconds: 900 };

/** Wrong passwords from one network. */
export const loginNetworkQuota: Quota = {
  name: 'login-address',
  points: 5,
  durationSeconds: 900,
};

export const dataExportQuota: Quota = { name: 'personal-data', points: 10, durationSeconds: 60 };
