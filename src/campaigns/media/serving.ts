import type { Context } from '../../platform/context.ts';
import type { Call, RawAnswer } from '../../platform/http/route.ts';
import { notFound } from '../../platform/problems.ts';
import { variantKey } from './media.ts';

/** Serves a variant to everybody. The bytes derive from uploads, so the policy forbids all content. */
export async function serveVariant(
  ctx: Context,
  name: string,
  header: Call['header'],
): Promise<RawAnswer> {
  const found = await ctx.blobs.get(variantKey(name));
  if (!found) throw notFound('picture');
  header('cache-control', 'public, max-age=31536000, immutable');
  header('content-security-policy', "default-src 'none'; sandbox");
  header('content-length', String(found.size));
  return { mediaType: 'image/webp', body: found.stream };
}
