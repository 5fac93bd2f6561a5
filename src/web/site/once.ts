import { createHash, randomUUID } from 'node:crypto';
import { html, type Html } from '../../platform/html.ts';
import { runIdempotent } from '../../platform/http/idempotency.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { formToken } from './form-token.ts';
import type { View } from './view.ts';

/** A field with a new value in each rendered form. */
const onceField = '_once';

/** The form token and a field that makes the form act once; the form's declaration has `once` too. */
export const onceToken = (view: View): Html =>
  html`${formToken(view)}<input type="hidden" name="${onceField}" value="${randomUUID()}">`;

/**
 * Acts on a form like a request with an Idempotency-Key: a double click or a reload gets the first answer. The same
 * form with other fields acts again.
 */
export async function actOnce(
  view: View,
  fields: Record<string, unknown>,
  act: (view: View) => RawAnswer | Promise<RawAnswer>,
): Promise<RawAnswer> {
  const { ctx, viewer, path, header } = view;
  if (!viewer || !fields[onceField]) return act(view);
  const key = createHash('sha256').update(JSON.stringify(fields)).digest('base64url');
  const [operation] = path.split('?', 1);
  const request = {
    userId: viewer.user.id,
    operation: `POST ${operation}`,
    key,
    body: null,
    waitsForFirst: true,
  };
  const { status, headers, body } = await runIdempotent(ctx, request, async (innerCtx) => {
    const responseHeaders: Record<string, string> = {};
    const answer = await act({
      ...view,
      ctx: innerCtx,
      header: (name, value) => void (responseHeaders[name] = value),
    });
    if (typeof answer.body !== 'string') throw new Error('only text answers can be stored');
    responseHeaders['content-type'] = answer.mediaType;
    return { status: answer.status ?? 200, headers: responseHeaders, body: answer.body };
  });
  const { 'content-type': mediaType = '', ...others } = headers;
  for (const [name, value] of Object.entries(others)) header(name, value);
  return { status, mediaType, body };
}
