import { installRevision, missingRevision } from '../support/revisions.ts';

/** The version before mailboxes, keys in the database and sort keys. */
const commit = '360f38223e0e3826646dd2b9c0be40869d9c8605';

/** Why the earlier version cannot be run; undefined if it can. */
export const missingVersion = (): Promise<string | undefined> => missingRevision(commit);

/** Puts the earlier version into a new folder, with its packages. Returns the folder. */
export const installEarlierVersion = (): Promise<string> => installRevision(commit);
