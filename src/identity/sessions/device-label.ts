/** In order of precedence: most browsers also claim to be those that they descend from. */
const browsers: [string, RegExp][] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\b(?:OPR|OPT|OPiOS|Opera)\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Vivaldi', /\bVivaldi\//],
  ['Yandex Browser', /\bYaBrowser\//],
  ['UC Browser', /\bUCBrowser\//],
  ['DuckDuckGo', /\b(?:DuckDuckGo|Ddg)\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:(?:Headless)?Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
];

/** In order of precedence: Android also claims to be Linux, and iOS to be like macOS. */
const systems: [string, RegExp][] = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(?:iPhone|iPad|iPod)\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
];

/** Joins browser and system. */
const between = ' on ';

/** Returns the browser and the operating system of a User-Agent, without versions; null if neither is known. */
export function deviceLabel(userAgent: string | undefined): string | null {
  const text = (userAgent ?? '').slice(0, 500);
  const parts = [browsers, systems].flatMap(
    (names) => names.find(([, pattern]) => pattern.test(text))?.[0] ?? [],
  );
  return parts.length > 0 ? parts.join(between) : null;
}

/** Returns browser and system of a label that has both. */
export function partsOfLabel(label: string): { browser: string; system: string } | undefined {
  const [browser, system] = label.split(between);
  return browser !== undefined && system !== undefined ? { browser, system } : undefined;
}
