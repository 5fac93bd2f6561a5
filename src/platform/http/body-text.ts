import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { invalidRequest, Problem } from '../problems.ts';

const charsetPattern = /;\s*charset\s*=\s*"?([^\s;"]+)/i;

/** Returns the text of a body, or why it cannot be read: bodies are UTF-8. */
export function readText(
  { headers }: Pick<FastifyRequest, 'headers'>,
  body: Buffer,
): string | Problem {
  const charset = charsetPattern.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase();
  if (charset !== undefined && !['utf-8', 'utf8', 'us-ascii'].includes(charset)) {
    return new Problem('unsupported-media-type', 'Send the body as UTF-8.');
  }
  return isUtf8(body) ? body.toString('utf8') : invalidRequest('The body is not UTF-8.');
}
