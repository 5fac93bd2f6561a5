import { LRUCache } from 'lru-cache';
import { readLogo } from '../../oversight/site-settings/site-settings.ts';
import type { Context } from '../../platform/context.ts';
import { html } from '../../platform/html.ts';
import { loadSharp } from '../../platform/sharp.ts';
import { iconVersion, initialOf, type IconSize } from '../../platform/site/icons.ts';
import type { SiteProfile } from '../../platform/site/profile.ts';
import { themeOf } from '../../platform/site/theme.ts';

/** Icons by version and size, a few KB each. */
const icons = new LRUCache<string, Promise<Buffer>>({ max: 40 });

/** Returns an icon of the site as PNG: its logo, or the first letter of its name on the accent. */
export function iconOf(ctx: Context, size: IconSize): Promise<Buffer> {
  const site = ctx.site.current;
  const key = `${iconVersion(site)} ${size}`;
  let icon = icons.get(key);
  if (!icon) {
    icon = drawIcon(ctx, site, size);
    icons.set(key, icon);
    icon.catch(() => icons.delete(key));
  }
  return icon;
}

async function drawIcon(ctx: Context, site: SiteProfile, size: IconSize): Promise<Buffer> {
  const logo = site.logo && (await readLogo(ctx.db, site.logo.hash));
  return logo ? squareLogo(logo, size) : letterIcon(site, size);
}

/** Part of an icon that a logo or letter fills, so that masks of home screens cut nothing off. */
const filled = 0.72;

async function squareLogo(logo: Buffer, size: number): Promise<Buffer> {
  const sharp = await loadSharp();
  const inner = Math.round(size * (size < 100 ? 1 : filled));
  const scaled = await sharp(logo)
    .resize({ width: inner, height: inner, fit: 'inside' })
    .png()
    .toBuffer();
  const background = size < 100 ? '#ffffff00' : '#ffffff';
  return sharp({ create: { width: size, height: size, channels: 4, background } })
    .composite([{ input: scaled }])
    .png({ compressionLevel: 9 })
    .toBuffer();
}

async function letterIcon({ name, accent }: SiteProfile, size: number): Promise<Buffer> {
  const sharp = await loadSharp();
  const { act, onAct } = themeOf(accent).light;
  const { text } = html`<span foreground="${onAct}">${initialOf(name)}</span>`;
  const letter = await sharp({
    text: { text, font: `serif bold ${size}`, rgba: true, dpi: 72 },
  })
    .resize({
      width: Math.round(size * filled),
      height: Math.round(size * filled),
      fit: 'inside',
    })
    .png()
    .toBuffer();
  return sharp({ create: { width: size, height: size, channels: 4, background: act } })
    .composite([{ input: letter }])
    .png({ compressionLevel: 9 })
    .toBuffer();
}
