import { randomBytes } from 'node:crypto';
import type { Backfill } from '../../platform/backfills.ts';
import { userAgent } from '../../platform/site/user-agent.ts';
import type { Context } from '../../platform/context.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import { addJob } from '../../platform/jobs.ts';
import { forgetCopyJob, wantCopy } from '../../platform/picture-copies.ts';
import { Unreachable } from '../../platform/safe-fetch.ts';
import * as queries from './copy-queries.ts';
import type { CopyRow } from './copy-queries.ts';
import { isOwnAddress, variantKey, variantName, type PictureOwners } from './media.ts';
import { inspectImage, makeVariants, SlowImageError, UnusableImageError } from './pictures.ts';
import { removeFiles } from './processing.ts';
import { maxBytes, pictureTypes } from './schema.ts';

/** Attempts for what may be temporary. The jobs' backoff puts the last one about 10 minutes after the first. */
const maxAttempts = 7;

/** Thrown for what will fail again. The message is for people. */
class NoCopyError extends Error {
  override name = 'NoCopyError';
}

/** Thrown for what may be temporary, so that the job runs again. */
class HostFailure extends Error {
  override name = 'HostFailure';
}

/**
 * Copies a picture of another host, unless there is a copy, or no record uses the picture. Two workers may do this at the
 * same time: both write the same files.
 */
export async function copyPicture(
  ctx: Context,
  pictureOwners: PictureOwners,
  url: string,
): Promise<void> {
  if (isOwnAddress(ctx, url)) return;
  const { token, status } = await queries.beginCopy(ctx.db, url, randomBytes(16).toString('hex'));
  if (status === 'ready') return;
  if (await removeCopyIfUnused(ctx, pictureOwners, url)) return;
  try {
    const bytes = await fetchPicture(ctx, url);
    await inspectImage(bytes);
    const variants = await makeVariants(bytes);
    for (const { size, bytes: file } of variants) {
      await ctx.blobs.put(variantKey(variantName(token, size)), file, 'image/webp');
    }
    // Deleted meanwhile: its files are deleted too.
    if (!(await queries.markCopyReady(ctx.db, token, variants))) await removeFiles(ctx, token);
  } catch (error) {
    await noteFailure(ctx, token, error);
  }
}

/** @throws {NoCopyError} or {HostFailure} */
async function fetchPicture(ctx: Context, url: string): Promise<Buffer> {
  const address = URL.parse(url);
  if (!address) throw new NoCopyError('This is no web address.');
  // Browsers do the same with pictures of secure pages.
  if (ctx.config.production && address.protocol === 'http:') address.protocol = 'https:';
  const { status, bytes } = await fetchFile(ctx, address.href);
  if (status >= 200 && status < 300) return bytes;
  const message = `The other host answered with status ${status}.`;
  if (status >= 500 || status === 429 || status === 408) throw new HostFailure(message);
  throw new NoCopyError(message);
}

async function fetchFile({ httpClient, site }: Context, url: string) {
  try {
    return await httpClient.get(url, {
      headers: {
        accept: pictureTypes.join(', '),
        'accept-encoding': 'identity',
        'user-agent': userAgent(site.current, 'Pictures'),
      },
      maxBytes,
    });
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    throw error.isPermanent ? new NoCopyError(error.message) : new HostFailure(error.message);
  }
}

/** Stores why there is no copy. @throws the error, if another attempt may succeed */
async function noteFailure(ctx: Context, token: string, error: unknown): Promise<void> {
  if (error instanceof NoCopyError || error instanceof UnusableImageError) {
    await queries.markCopyFailed(ctx.db, token, error.message);
    return;
  }
  if (!(error instanceof HostFailure || error instanceof SlowImageError)) throw error;
  const attempts = await queries.countAttempt(ctx.db, token);
  if (attempts !== undefined && attempts < maxAttempts) throw error;
  await queries.markCopyFailed(ctx.db, token, error.message);
}

/** Removes the copy of an address that no record uses, and ends attempts to make it. Returns whether it did. */
export async function removeCopyIfUnused(
  ctx: Context,
  pictureOwners: PictureOwners,
  url: string,
): Promise<boolean> {
  return transaction(ctx.db, async (tx) => {
    const copies = await queries.lockCopies(tx, [url]);
    if ((await findUsed(tx, pictureOwners, [url])).size > 0) return false;
    await removeCopies(tx, copies);
    await forgetCopyJob(tx, url);
    return true;
  });
}

/**
 * Returns those of the addresses that a record uses. Who stores an address at the same time asks for the copy afterwards,
 * waits for the lock, and finds the copy kept or gone.
 */
async function findUsed(
  tx: Tx,
  pictureOwners: PictureOwners,
  urls: string[],
): Promise<Set<string>> {
  const used = new Set<string>();
  for (const owner of Object.values(pictureOwners)) {
    for (const url of await owner.filterShown(tx, urls)) used.add(url);
  }
  return used;
}

async function removeCopies(tx: Tx, copies: readonly CopyRow[]): Promise<void> {
  const tokens = copies.map(({ token }) => token);
  await queries.deleteCopies(tx, tokens);
  for (const token of tokens) await addJob(tx, 'remove-media-files', { token });
}

const sweepBatchSize = 200;

/** Removes copies that no record uses: of deleted petitions and erased accounts. Then asks for those that are missing. */
export async function sweepCopies(ctx: Context, pictureOwners: PictureOwners): Promise<void> {
  let after: string | undefined = '';
  while (after !== undefined) {
    const key: string = after;
    after = await transaction(ctx.db, async (tx) => {
      const copies = await queries.lockNextCopies(tx, key, sweepBatchSize);
      const urls = copies.map(({ url }) => url);
      const used = await findUsed(tx, pictureOwners, urls);
      const unused = copies.filter(({ url }) => !used.has(url));
      await removeCopies(tx, unused);
      for (const { url } of unused) await forgetCopyJob(tx, url);
      return copies.at(-1)?.key;
    });
  }
  // Processes of an earlier version store addresses without asking for a copy.
  let position: Position | null = firstPosition;
  while (position) position = (await wantNextCopies(ctx, pictureOwners, position))?.next ?? null;
}

/** Addresses of one step. It takes about 20 ms. */
const stepSize = 50;
/** New pictures do not wait for existing ones. */
const existing = { priority: 10 };

interface Position {
  /** Index of the owner. */
  owner: number;
  /** The last address that was looked at. */
  after: string;
}

const firstPosition: Position = { owner: 0, after: '' };

/** Asks for the copies of addresses that records have had since before there were copies. */
export const copyBackfill = (ctx: Context, pictureOwners: PictureOwners): Backfill => ({
  name: 'picture-copies',
  async step(_db, cursor) {
    const from = cursor === null ? firstPosition : (JSON.parse(cursor) as Position);
    const done = await wantNextCopies(ctx, pictureOwners, from);
    return done && { cursor: JSON.stringify(done.next), rows: done.wanted };
  },
});

/** Asks for the missing copies of the next addresses that records have. Returns null after the last address. */
async function wantNextCopies(
  ctx: Context,
  pictureOwners: PictureOwners,
  { owner, after }: Position,
): Promise<{ next: Position; wanted: number } | null> {
  const current = Object.values(pictureOwners)[owner];
  if (!current) return null;
  const urls = await current.listUrls(ctx.db, after, stepSize);
  const last = urls.at(-1);
  if (last === undefined) return { next: { owner: owner + 1, after: '' }, wanted: 0 };
  const wanted = await queries.findUnknown(
    ctx.db,
    urls.filter((url) => !isOwnAddress(ctx, url)),
  );
  await transaction(ctx.db, async (tx) => {
    for (const url of wanted) await wantCopy(tx, url, existing);
  });
  return { next: { owner, after: last }, wanted: wanted.length };
}
