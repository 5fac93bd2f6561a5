/** What a signature was given with, as far as it is kept: one letter of the database for each kind. */
export const devices = { phone: 'p', tablet: 't', desktop: 'd', bot: 'b', unknown: 'u' } as const;
export type Device = keyof typeof devices;

/** The kind that a letter of the database stands for. */
export const deviceNamed = (letter: string | null): Device | null =>
  (Object.keys(devices) as Device[]).find((name) => devices[name] === letter) ?? null;

/** The first that fits: tablets and programs often claim to be something else besides. */
const signs: [Device, RegExp][] = [
  [
    'bot',
    /bot\b|crawl|spider|headless|curl|wget|python|java\/|okhttp|go-http|axios|postman|^node|undici|libwww/i,
  ],
  ['tablet', /ipad|tablet|kindle|silk\/|android(?!.*mobile)/i],
  ['phone', /mobi|iphone|ipod|android/i],
  ['desktop', /windows nt|macintosh|x11|cros|linux/i],
];

/** A coarse hint of what the caller uses, from the User-Agent; nothing that tells two people apart. */
export function deviceOf(userAgent: string | undefined): Device {
  const text = (userAgent ?? '').slice(0, 300);
  return signs.find(([, pattern]) => pattern.test(text))?.[0] ?? 'unknown';
}
