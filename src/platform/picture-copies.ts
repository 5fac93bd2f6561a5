import { createHash } from 'node:crypto';
import type { Db } from './db.ts';
import { addJob } from './jobs.ts';

/** The picture of a record before and after a change; undefined for what did not change. */
interface PictureChange {
  from?: string | null | undefined;
  to?: string | null | undefined;
}

/** Queues of jobs that fetch pictures. All of one host are in one queue, so that it gets one request at a time. */
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

/** Adds a job that copies the picture, in a queue of its host unless another one is given. */
export async function wantCopy(tx: Db, url: string, queue = queueFor(url)): Promise<void> {
  await addJob(tx, 'copy-picture', { url }, { queue });
}

function queueFor(url: string): string {
  const host = URL.parse(url)?.host ?? '';
  return `picture-copies-${createHash('sha256').update(host).digest()[0]! % queues}`;
}
