import { randomBytes } from 'node:crypto';
import { variantKey, variantName, variantUrl } from '../../campaigns/media/media.ts';
import { sizes, type Size, type Variant } from '../../campaigns/media/pictures.ts';
import type { EntityType } from '../../campaigns/media/schema.ts';
import type { Context } from '../../platform/context.ts';
import { transaction } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import { loadSharp } from '../../platform/sharp.ts';
import * as queries from './queries.ts';

/** A picture to draw, and the record that it is of. */
export interface DemoPicture {
  userId: string;
  type: Extract<EntityType, 'petition_image' | 'user_avatar' | 'petition_update_image'>;
  recordId: string;
  svg: Buffer;
}

/** Draws pictures, stores them as uploads are stored, and shows them on their records. */
export async function addPictures(ctx: Context, pictures: readonly DemoPicture[]): Promise<void> {
  for (const { svg, userId, type, recordId } of pictures) {
    const token = randomBytes(16).toString('hex');
    const variants = await drawVariants(svg);
    for (const { size, bytes } of variants)
      await ctx.blobs.put(variantKey(variantName(token, size)), bytes, 'image/webp');
    await transaction(ctx.db, (tx) =>
      queries.insertPicture(tx, {
        id: newId(),
        userId,
        type,
        recordId,
        token,
        variants: variants.map(({ size, width, height }) => ({ size, width, height })),
        url: variantUrl(ctx, token, variants.at(-1)!.size),
      }),
    );
  }
}

/** Draws in this process, since the source is ours. SVG stays blocked for everything else. */
async function drawVariants(svg: Buffer): Promise<Variant[]> {
  const sharp = await loadSharp();
  const svgLoader = { operation: ['VipsForeignLoadSvgBuffer'] };
  sharp.unblock(svgLoader);
  try {
    const { width: drawn } = await sharp(svg).metadata();
    const wanted = sizes.filter((_, index) => index === 0 || sizes[index - 1]! < drawn);
    return await Promise.all(
      wanted.map(async (size: Size) => {
        const { data, info } = await sharp(svg)
          .resize({ width: Math.min(size, drawn) })
          .webp({ quality: 80 })
          .toBuffer({ resolveWithObject: true });
        return { size, width: info.width, height: info.height, bytes: data };
      }),
    );
  } finally {
    sharp.block(svgLoader);
  }
}
