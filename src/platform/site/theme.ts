import { clampChroma, converter, formatHex, wcagContrast, type Oklch } from 'culori';
import { LRUCache } from 'lru-cache';
import { defaultAccent } from './profile.ts';

/** Colours of a theme that follow from the accent, by the names of the tokens (src/platform/pages/tokens.css). */
export interface ThemeColors {
  /** Links and buttons. */
  act: string;
  actStrong: string;
  /** The text of buttons. */
  onAct: string;
  /** Behind what is marked. */
  tint: string;
  /** A dark band. */
  deep: string;
}

export interface Theme {
  light: ThemeColors;
  dark: ThemeColors;
}

/** The theme that was drawn by hand, as tokens.css has it. */
const drawnTheme: Theme = {
  light: {
    act: defaultAccent,
    actStrong: '#07523a',
    onAct: '#ffffff',
    tint: '#e7f2ed',
    deep: '#0a3a2b',
  },
  dark: {
    act: '#5fd3a3',
    actStrong: '#86e3bd',
    onAct: '#06170f',
    tint: '#173026',
    deep: '#0d2a20',
  },
};

/** Backgrounds of tokens.css on which links stand. */
const backgrounds = {
  light: ['#ffffff', '#fbfaf7', '#f1efe9'],
  dark: ['#131716', '#1b201e', '#0e1211'],
} as const;

/** Of texts (WCAG 2.2, success criterion 1.4.3). */
export const minContrast = 4.5;

const toOklch = converter('oklch');

/** The colour of this hue as a hexadecimal one. `colorfulness` is a part of the chroma of the accent. */
const shade = (accent: Oklch, l: number, colorfulness: number): string =>
  formatHex(clampChroma({ ...accent, l, c: accent.c * colorfulness }, 'oklch'));

/** By accent: that of the site, which every mail asks for, and those of previews. */
const themes = new LRUCache<string, Theme>({ max: 20 });

/**
 * Returns the colours of both themes for an accent (hexadecimal): its hue, with the lightness at which texts can be read.
 * Each colour of a text has a contrast of `minContrast` or more on each background that it stands on.
 */
export function themeOf(accent: string): Theme {
  if (accent === defaultAccent) return drawnTheme;
  let theme = themes.get(accent);
  if (!theme) {
    const color = toOklch(accent)!;
    theme = { light: lightColors(color), dark: darkColors(color) };
    themes.set(accent, theme);
  }
  return theme;
}

function lightColors(accent: Oklch): ThemeColors {
  const tint = shade(accent, 0.952, 0.14);
  const isReadable = (one: string) => contrastOf(one, [...backgrounds.light, tint]) >= minContrast;
  const l = firstStep(accent.l, -step, (one) => isReadable(shade(accent, one, 1)));
  return {
    act: shade(accent, l, 1),
    actStrong: shade(accent, Math.max(0, l - 0.08), 0.83),
    onAct: '#ffffff',
    tint,
    deep: shade(accent, 0.313, 0.6),
  };
}

/** Colours on dark are lighter than needed, as those of the theme that was drawn. */
const usualDarkLightness = 0.78;

function darkColors(accent: Oklch): ThemeColors {
  const tint = shade(accent, 0.285, 0.39);
  const onAct = shade(accent, 0.186, 0.3);
  const isReadable = (one: string) =>
    contrastOf(one, [...backgrounds.dark, tint, onAct]) >= minContrast;
  const from = Math.max(accent.l, usualDarkLightness);
  const l = firstStep(from, step, (one) => isReadable(shade(accent, one, 1)));
  return {
    act: shade(accent, l, 1),
    actStrong: shade(accent, Math.min(1, l + 0.06), 0.83),
    onAct,
    tint,
    deep: shade(accent, 0.259, 0.42),
  };
}

const step = 0.005;

/** The first lightness from there on that is good; at the latest black or white. */
function firstStep(from: number, by: number, isGood: (l: number) => boolean): number {
  const end = by < 0 ? 0 : 1;
  const left = Math.ceil((end - from) / by);
  for (let n = 0; n < left; n += 1) if (isGood(from + n * by)) return from + n * by;
  return end;
}

/** The lowest contrast of a colour with these (WCAG 2.2). */
export const contrastOf = (color: string, others: readonly string[]): number =>
  Math.min(...others.map((one) => wcagContrast(color, one)));

/** How well an accent, as it was chosen, could be read in each theme, and what is shown instead. */
export function judgeAccent(accent: string) {
  const theme = themeOf(accent);
  return (['light', 'dark'] as const).map((name) => ({
    theme: name,
    contrast: contrastOf(accent, backgrounds[name]),
    shown: theme[name].act,
    shownContrast: contrastOf(theme[name].act, backgrounds[name]),
  }));
}

/** Changes when colours are derived in another way. */
const version = 1;

/** The address of the styles for an accent; undefined for that of the styles of every page. */
export const themeAddress = (accent: string): string | undefined =>
  accent === defaultAccent ? undefined : `/assets/theme-${accent.slice(1)}-${version}.css`;

/** Returns the accent of such an address. */
export const accentOfAddress = (file: string): string | undefined => {
  const [, digits, of] = /^theme-([\da-f]{6})-(\d+)\.css$/.exec(file) ?? [];
  return digits !== undefined && of === String(version) ? `#${digits}` : undefined;
};

const tokens = {
  act: '--act',
  actStrong: '--act-strong',
  onAct: '--on-act',
  tint: '--tint',
  deep: '--deep',
} as const;

/** The tokens of both themes, to follow those of every page. */
export function themeStyles(accent: string): string {
  const { light, dark } = themeOf(accent);
  const lines = Object.entries(tokens).map(
    ([name, token]) =>
      `${token}:light-dark(${light[name as keyof ThemeColors]},${dark[name as keyof ThemeColors]})`,
  );
  return `:root{${lines.join(';')}}\n`;
}

/** The tokens of one theme. */
export const tokensOf = (colors: ThemeColors): string =>
  Object.entries(tokens)
    .map(([name, token]) => `${token}:${colors[name as keyof ThemeColors]}`)
    .join(';');
