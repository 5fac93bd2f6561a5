import type { Quota } from '../../platform/limits.ts';

/** Each registration costs a password hash, but many people behind one address may register on the same day. */
export const registrationQuota: Quota = { name: 'register', points: 300, durationSeconds: 3600 };

/** Mails to one account or address, by purpose. */
export const mailQuota: Quota = {
  name: 'mail-to-account',
  points: 5,
  durationSeconds: 3600,
  countsWithoutRedis: true,
};

/** Text messages cost money, and the owner of the number may not have asked for them. */
export const textQuota: Quota = {
  name: 'text-to-number',
  points: 5,
  durationSeconds: 86_400,
  countsWithoutRedis: true,
};

/** Wrong passwords of one account from one network. */
export const loginQuota: Quota = {
  name: 'login',
  points: 5,
  durationSeconds: 900,
  countsWithoutRedis: true,
};

/** Wrong passwords of one account, from all networks. */
export const loginAccountQuota: Quota = {
  name: 'login-account',
  points: 50,
  durationSeconds: 3600,
  countsWithoutRedis: true,
};

/** Wrong passwords from one network, for all accounts. */
export const loginNetworkQuota: Quota = {
  name: 'login-network',
  points: 100,
  durationSeconds: 3600,
  countsWithoutRedis: true,
};

/** Wrong passwords from one browser in which the account has logged in before. */
export const loginBrowserQuota: Quota = {
  name: 'login-browser',
  points: 5,
  durationSeconds: 900,
  countsWithoutRedis: true,
};

/** Wrong passwords of an account whose owner is logged in: to erase it, or to change how to log in. */
export const ownPasswordQuota: Quota = {
  name: 'own-password',
  points: 5,
  durationSeconds: 900,
  countsWithoutRedis: true,
};

export const dataExportQuota: Quota = { name: 'personal-data', points: 10, durationSeconds: 60 };
