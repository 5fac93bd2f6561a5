import { createHash } from 'node:crypto';
import { defaultAccent, defaultName, type Logo, type SiteProfile } from './profile.ts';

type Pictured = Pick<SiteProfile, 'name' | 'accent' | 'logo'>;

export const logoAddress = ({ hash }: Logo): string => `/logo/${hash}.png`;

/** Sizes of icons in pixels: of tabs, of iOS, and of a web manifest. */
export const iconSizes = [32, 180, 192, 512] as const;
export type IconSize = (typeof iconSizes)[number];

const versions = new WeakMap<Pictured, string>();

/** Changes with what the icons show. Every page asks for it, and a profile never changes. */
export function iconVersion(site: Pictured): string {
  let version = versions.get(site);
  if (version === undefined) versions.set(site, (version = makeVersion(site)));
  return version;
}

const makeVersion = ({ name, accent, logo }: Pictured): string =>
  createHash('sha256')
    .update(JSON.stringify(logo ? [logo.hash] : [initialOf(name), accent]))
    .digest('base64url')
    .slice(0, 8);

export const iconAddress = (site: Pictured, size: IconSize): string =>
  `/icons/${size}.png?v=${iconVersion(site)}`;

/** Whether nobody has given the site a name, a colour or a logo: then its tab has the drawing of the software. */
export const hasOwnIcon = ({ name, accent, logo }: Pictured): boolean =>
  logo !== null || name !== defaultName || accent !== defaultAccent;

const graphemes = new Intl.Segmenter();

/** The first letter or digit of a name, as large as it can be. */
export function initialOf(name: string): string {
  const all = [...graphemes.segment(name)].map(({ segment }) => segment);
  return (all.find((one) => /[\p{L}\p{N}]/u.test(one)) ?? all[0] ?? '').toLocaleUpperCase();
}
