import { createHash } from 'node:crypto';
import { decodePicture } from '../../campaigns/media/media.ts';
import type { Context } from '../../platform/context.ts';
import { loadSharp } from '../../platform/sharp.ts';
import type { Logo } from '../../platform/site/profile.ts';
import { invalidValue } from '../../platform/problems.ts';
import * as queries from './queries.ts';

/** Width and height that a logo has at most, in pixels: that of the largest icon. */
const maxSide = 512;

/** Returns the hash of a logo by its address; undefined for other addresses. */
export const hashOfLogoAddress = ({ config }: Context, url: string): string | undefined =>
  /^\/logo\/([\w-]{22})\.png$/.exec(
    url.startsWith(`${config.baseUrl}/`) ? url.slice(config.baseUrl.length) : url,
  )?.[1];

/**
 * Stores an uploaded picture as a logo, which is not in force yet.
 * @throws {Problem} validation-failed with this field, if the bytes are no picture that can be shown
 */
export const uploadLogo = async (ctx: Context, bytes: Buffer, field: string): Promise<Logo> =>
  storeLogo(ctx, await decodePicture(bytes, field));

/** Returns a stored logo. @throws {Problem} validation-failed with this field */
export async function findLogo(ctx: Context, hash: string, field: string): Promise<Logo> {
  const logo = await queries.findLogo(ctx.db, hash);
  if (!logo) throw invalidValue(field, 'There is no such logo. Upload it again.');
  return logo;
}

/** Stores a picture that this service has made as a logo. */
export async function storeLogo(ctx: Context, picture: Buffer): Promise<Logo> {
  const sharp = await loadSharp();
  const { data, info } = await sharp(picture)
    .resize({ width: maxSide, height: maxSide, fit: 'inside', withoutEnlargement: true })
    .png({ compressionLevel: 9 })
    .toBuffer({ resolveWithObject: true });
  const hash = createHash('sha256').update(data).digest('base64url').slice(0, 22);
  const logo = { hash, width: info.width, height: info.height };
  await queries.insertLogo(ctx.pools.main, logo, data);
  return logo;
}
