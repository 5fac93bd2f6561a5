import { createHash } from 'node:crypto';
import type { Db } from './db.ts';
import { addJob, removeJob, type JobOptions } from './jobs.ts';

/** The picture of a record before and after a change; undefined for what did not change. */
interface PictureChange {
  from?: string | null | undefined;
  to?: string | null | undefined;
}

/**
 * Queues of jobs that fetch pictures: slow hosts hold up no more workers than that. All pictures of one host are in one
 * queue, so that it gets one request at a time.
 */
const queues = 2;

/**
 * Call it in the transaction that stores or removes the picture of a record. Pictures of other hosts are shown as copies
 * (src/campaigns/media/copies.ts): asks for the copy of the new one, and for the removal of the old one's copy if no record
 * uses it any more.
 */
export async function pictureChanged(tx: Db, { from, to }: PictureChange): Promise<void> {
  if (to === undefined || from === to) return;
  if (to) await wantCopy(tx, to);
  if (from) await addJob(tx, 'remove-picture-copy', { url: from });
}

/** Adds a job that copies the picture, in the queue of its host. */
export async function wantCopy(
  tx: Db,
  url: string,
  options: Pick<JobOptions, 'priority'> = {},
): Promise<void> {
  const job = { ...options, key: copyKey(url), queue: queueFor(url) };
  await addJob(tx, 'copy-picture', { url }, job);
}

/** Ends attempts to copy a picture that nothing shows any more: its address may be personal. */
export const forgetCopyJob = (tx: Db, url: string): Promise<void> => removeJob(tx, copyKey(url));

const copyKey = (url: string) =>
  `copy-picture ${createHash('sha256').update(url).digest('base64url')}`;

function queueFor(url: string): string {
  const host = URL.parse(url)?.host ?? '';
  return `picture-copies-${createHash('sha256').update(host).digest()[0]! % queues}`;
}
