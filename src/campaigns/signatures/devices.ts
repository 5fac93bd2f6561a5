/** Kinds of devices, each with the letter that stands for it in the database. */
export const devices = { phone: 'p', tablet: 't', desktop: 'd', bot: 'b', unknown: 'u' } as const;
export type Device = keyof typeof devices;

export const deviceOfLetter = (letter: string | null): Device | null =>
  (Object.keys(devices) as Device[]).find((name) => devices[name] === letter) ?? null;

/** In order of precedence: bots and tablets often claim to be something else too. */
const userAgentPatterns: [Device, RegExp][] = [
  [
    'bot',
    /bot\b|crawl|spider|headless|curl|wget|python|java\/|okhttp|go-http|axios|postman|^node|undici|libwww/i,
  ],
  ['tablet', /ipad|tablet|kindle|silk\/|android(?!.*mobile)/i],
  ['phone', /mobi|iphone|ipod|android/i],
  ['desktop', /windows nt|macintosh|x11|cros|linux/i],
];

/** Returns the kind of device by the User-Agent, too coarse to identify a person. */
export function deviceOf(userAgent: string | undefined): Device {
  const text = (userAgent ?? '').slice(0, 300);
  return userAgentPatterns.find(([, pattern]) => pattern.test(text))?.[0] ?? 'unknown';
}
