import { Type } from 'typebox';
import { readLogo } from '../../oversight/site-settings/site-settings.ts';
import type { Context } from '../../platform/context.ts';
import { raw, routes, type Call, type RawAnswer } from '../../platform/http/route.ts';
import { notFound } from '../../platform/problems.ts';
import { iconAddress, iconSizes, iconVersion, type IconSize } from '../../platform/site/icons.ts';
import { themeOf } from '../../platform/site/theme.ts';
import type { Slice } from '../../platform/slice.ts';
import { iconOf } from './icons.ts';

const api = routes('Pages');
const common = {
  page: true,
  auth: { access: 'anyone', ignoresCredentials: true },
} as const;

const days = (count: number) => `public, max-age=${count * 86_400}`;

/** The logo, the icons and the web manifest of the site. */
export const iconsSlice = (): Slice => ({
  routes: [
    api.get('/logo/{file}', {
      ...common,
      id: 'showLogo',
      summary: 'A logo of the site',
      params: Type.Object({ file: Type.String() }),
      returns: raw('image/png'),
      problems: ['not-found'],
      async handle({ ctx, params, header }) {
        const [, hash] = /^([\w-]{22})\.png$/.exec(params.file) ?? [];
        const png = hash === undefined ? undefined : await readLogo(ctx.db, hash);
        if (!png) throw notFound('logo');
        header('cache-control', `${days(365)}, immutable`);
        return { mediaType: 'image/png', body: png };
      },
    }),
    api.get('/icons/{file}', {
      ...common,
      id: 'showIcon',
      summary: 'An icon of the site',
      params: Type.Object({ file: Type.String() }),
      query: Type.Object({ v: Type.Optional(Type.String()) }),
      returns: raw('image/png'),
      problems: ['not-found'],
      handle({ ctx, params, query, header }) {
        const size = iconSizes.find((one) => params.file === `${one}.png`);
        if (size === undefined) throw notFound('icon');
        return iconAnswer(ctx, header, size, query.v);
      },
    }),
    ...(
      [
        ['/favicon.ico', 'showFavicon', 32],
        ['/apple-touch-icon.png', 'showTouchIcon', 180],
      ] as const
    ).map(([path, id, size]) =>
      api.get(path, {
        ...common,
        id,
        summary: 'An icon of the site, where programs look for it',
        returns: raw('image/png'),
        handle: ({ ctx, header }) => iconAnswer(ctx, header, size),
      }),
    ),
    api.get('/site.webmanifest', {
      ...common,
      id: 'showManifest',
      summary: 'What the site is called and looks like where it is installed',
      returns: raw('application/manifest+json'),
      handle({ ctx, header }) {
        header('cache-control', 'public, max-age=300');
        return { mediaType: 'application/manifest+json', body: JSON.stringify(manifestOf(ctx)) };
      },
    }),
  ],
});

/** An address that names the version of the icon may be kept; others lead to whatever is in force. */
async function iconAnswer(
  ctx: Context,
  header: Call['header'],
  size: IconSize,
  version?: string,
): Promise<RawAnswer> {
  const isCurrent = version === iconVersion(ctx.site.current);
  header('cache-control', isCurrent ? days(30) : 'public, max-age=300');
  return { mediaType: 'image/png', body: await iconOf(ctx, size) };
}

/** https://www.w3.org/TR/appmanifest/ */
function manifestOf({ site: { current: site } }: Context): object {
  return {
    name: site.name,
    short_name: site.name,
    ...(site.tagline !== null && { description: site.tagline }),
    lang: site.defaultLanguage,
    start_url: '/',
    display: 'browser',
    background_color: '#fbfaf7',
    theme_color: themeOf(site.accent).light.act,
    icons: ([192, 512] as const).map((size) => ({
      src: iconAddress(site, size),
      sizes: `${size}x${size}`,
      type: 'image/png',
      purpose: 'any',
    })),
  };
}
