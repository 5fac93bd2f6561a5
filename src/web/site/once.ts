import { createHash, randomUUID } from 'node:crypto';
import { html, type Html } from '../../platform/html.ts';
import { runIdempotent } from '../../platform/http/idempotency.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { formToken } from './frame.ts';
import type { View } from './view.ts';

/** Field that is another in each form that is given out. */
const onceField = '_once';

/** The form token, of a form that is acted on once, though it be sent twice: see `once` of its declaration. */
export const onceToken = (view: View): Html =>
  html`${formToken(view)}<input type="hidden" name="${onceField}" value="${randomUUID()}">`;

/**
 * Acts on a form as a call with an Idempotency-Key is: the same form with the same fields, as a double click or
 * loading anew sends it, leads where it first led, and nothing is done twice. Where the fields are others, somebody
 * went back and has more to say.
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
  const { status, headers, body } = await runIdempotent(ctx, request, async (within) => {
    const gathered: Record<string, string> = {};
    const answer = await act({
      ...view,
      ctx: within,
      header: (name, value) => void (gathered[name] = value),
    });
    if (typeof answer.body !== 'string') throw new Error('only texts can be kept');
    gathered['content-type'] = answer.mediaType;
    return { status: answer.status ?? 200, headers: gathered, body: answer.body };
  });
  const { 'content-type': mediaType = '', ...others } = headers;
  for (const [name, value] of Object.entries(others)) header(name, value);
  return { status, mediaType, body };
}
