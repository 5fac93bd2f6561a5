import type { FieldError } from '../../platform/problems.ts';

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Returns the errors of a client's redirect URIs. Allowed are https, http on loopback, and private schemes
 * that are a reversed domain (RFC 8252 section 7.1), without a fragment (RFC 6749 section 3.1.2).
 */
export function redirectErrors(uris: string[]): FieldError[] {
  return uris.flatMap((uri, index) => {
    const message = errorOf(uri);
    return message ? [{ field: `redirect_uris.${index}`, message, code: 'invalid_format' }] : [];
  });
}

function errorOf(uri: string): string | undefined {
  const url = URL.parse(uri);
  // Compared and sent as written, so it must be ASCII.
  if (!url || !/^[\x21-\x7e]+$/.test(uri)) return 'This must be an absolute URI, in ASCII.';
  if (uri.includes('#')) return 'This must have no fragment.';
  if (url.username || url.password) return 'This must hold no credentials.';
  if (url.protocol === 'https:') return undefined;
  if (url.protocol === 'http:') {
    return loopbackNames.has(url.hostname) ? undefined : 'This must be https.';
  }
  if (url.protocol.includes('.')) return undefined;
  return 'This must be https, http on loopback, or a private scheme with a dot in it.';
}

/**
 * Returns whether the URI is registered for the client. Public clients can use any port of a loopback
 * address, since native applications listen on a free one (RFC 8252 section 7.3).
 */
export function isRegistered(
  client: { redirect_uris: string[]; secret_hash: Uint8Array | null },
  uri: string,
): boolean {
  if (client.redirect_uris.includes(uri)) return true;
  if (client.secret_hash || !URL.canParse(uri)) return false;
  const wanted = withoutLoopbackPort(uri);
  return (
    wanted !== undefined &&
    client.redirect_uris.some((registered) => withoutLoopbackPort(registered) === wanted)
  );
}

/** Returns an http URI on a loopback IP without its port; undefined for any other. */
function withoutLoopbackPort(uri: string): string | undefined {
  const match = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(\/.*)?$/.exec(uri);
  return match ? `${match[1]}${match[2] ?? ''}` : undefined;
}

/** Adds parameters to the query of a URI. */
export function withParameters(uri: string, parameters: Record<string, string>): string {
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(parameters).toString()}`;
}

/** Returns a name of the redirect target to show to users. */
export function redirectTargetName(uri: string): string {
  const { protocol, host, hostname } = new URL(uri);
  if (loopbackNames.has(hostname)) return `a program on this device (${host})`;
  return protocol === 'https:' ? host : `an application on this device (${protocol.slice(0, -1)})`;
}
