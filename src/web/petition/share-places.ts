import type { Channel } from '../../campaigns/shares/schema.ts';

interface Shared {
  url: string;
  title: string;
}

/** Where a petition can be shared. */
interface Place {
  channel: Channel;
  /** Its name; undefined where a text of the catalogue names it. */
  name?: string;
  /** The address that shares there. Undefined where a page of ours comes first. */
  link?: (shared: Shared) => string;
}

const queryOf = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');

const textOf = ({ title, url }: Shared) => `${title} ${url}`;

/** As plain links: pages load nothing from these sites. In the order in which they are shown. */
export const sharePlaces = {
  whatsapp: {
    name: 'WhatsApp',
    channel: 'whatsapp',
    link: (shared) => `https://wa.me/?${queryOf({ text: textOf(shared) })}`,
  },
  // iOS and Android both read this form.
  sms: { channel: 'sms', link: (shared) => `sms:?&${queryOf({ body: textOf(shared) })}` },
  // RFC 6068, section 5: lines end with CRLF.
  email: {
    channel: 'email',
    link: ({ title, url }) =>
      `mailto:?${queryOf({ subject: title, body: `${title}\r\n\r\n${url}` })}`,
  },
  telegram: {
    name: 'Telegram',
    channel: 'telegram',
    link: ({ title, url }) => `https://t.me/share/url?${queryOf({ url, text: title })}`,
  },
  // Takes no text by a link.
  signal: { name: 'Signal', channel: 'signal' },
  facebook: {
    name: 'Facebook',
    channel: 'facebook',
    link: ({ url }) => `https://www.facebook.com/sharer/sharer.php?${queryOf({ u: url })}`,
  },
  x: {
    name: 'X',
    channel: 'x',
    link: ({ title, url }) => `https://x.com/intent/post?${queryOf({ text: title, url })}`,
  },
  bluesky: {
    name: 'Bluesky',
    channel: 'bluesky',
    link: (shared) => `https://bsky.app/intent/compose?${queryOf({ text: textOf(shared) })}`,
  },
  // Asks for the server of the account first.
  mastodon: { name: 'Mastodon', channel: 'mastodon' },
  qr: { channel: 'qr', link: ({ url }) => qrPathOf(url) },
} as const satisfies Record<string, Place>;

export type PlaceId = keyof typeof sharePlaces;

export const placeOf = (id: string): Place | undefined =>
  Object.hasOwn(sharePlaces, id) ? sharePlaces[id as PlaceId] : undefined;

/** The QR code of a link to a petition. */
function qrPathOf(url: string): string {
  const { pathname, searchParams } = new URL(url);
  const ref = searchParams.get('ref');
  const [, slug] = /^\/p\/([^/]+)/.exec(pathname)!;
  return `/p/${slug}/qr.svg${ref === null ? '' : `?ref=${ref}`}`;
}

/** The page of a Mastodon server that shares. `server` may be typed as an address or as an account. */
export function mastodonLink(server: string, shared: Shared): string | undefined {
  const host = server
    .trim()
    .replace(/^https?:\/\//i, '')
    .split('@')
    .at(-1)!
    .replace(/\/.*$/s, '');
  const url = URL.parse(`https://${host}`);
  if (!/^[^.]+(\.[^.]+)+$/.test(url?.hostname ?? '') || url!.host !== url!.hostname)
    return undefined;
  return `${url!.origin}/share?${queryOf({ text: textOf(shared) })}`;
}
