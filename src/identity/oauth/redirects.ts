import type { FieldError } from '../../platform/problems.ts';

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * What is wrong with the addresses that a client wants its users to be sent back to, if anything.
 * https, or http on the user's own device, or a private scheme that is a domain reversed (RFC 8252
 * section 7.1); without a fragment (RFC 6749 section 3.1.2).
 */
export function redirectErrors(uris: string[]): FieldError[] {
  return uris.flatMap((uri, index) => {
    const message = fault(uri);
    return message ? [{ field: `redirect_uris.${index}`, message, code: 'invalid_format' }] : [];
  });
}

function fault(uri: string): string | undefined {
  const url = URL.parse(uri);
  // Compared and sent as it was written, so it must be plain.
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
 * Whether a request may name this address: exactly one that was registered. Native applications, which
 * are public clients, listen on any free port of the loopback address (RFC 8252 section 7.3).
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

/** An http address on a loopback IP, but for its port; undefined for any other. */
function withoutLoopbackPort(uri: string): string | undefined {
  const match = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(\/.*)?$/.exec(uri);
  return match ? `${match[1]}${match[2] ?? ''}` : undefined;
}

/** The address with parameters added to what its query holds already. */
export function withParameters(uri: string, parameters: Record<string, string>): string {
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(parameters).toString()}`;
}

/** To where a user is sent back, in words for the user. */
export function redirectTargetName(uri: string): string {
  const { protocol, host, hostname } = new URL(uri);
  if (loopbackNames.has(hostname)) return `a program on this device (${host})`;
  return protocol === 'https:' ? host : `an application on this device (${protocol.slice(0, -1)})`;
}
