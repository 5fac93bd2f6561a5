import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readFileSync } from 'node:fs';
import { defaultAccent } from './profile.ts';
import { contrastOf, judgeAccent, minContrast, themeOf, themeStyles } from './theme.ts';

/** From black over all hues to white: too light, too dark, and garish ones among them. */
const accents = [
  '#000000',
  '#ffffff',
  '#808080',
  '#ffff00',
  '#ffe600',
  '#00ff00',
  '#00ffff',
  '#0000ff',
  '#ff00ff',
  '#ff0000',
  '#e3000f',
  '#123456',
  '#fefefe',
  '#7b3fe4',
];

describe('the colours of an accent', () => {
  for (const accent of accents) {
    it(`${accent} can be read in both themes`, () => {
      const { light, dark } = themeOf(accent);
      const onLight = ['#ffffff', '#fbfaf7', '#f1efe9', light.tint];
      const onDark = ['#131716', '#1b201e', '#0e1211', dark.tint];
      for (const [color, others] of [
        [light.act, [...onLight, light.onAct]],
        [light.actStrong, [...onLight, light.onAct]],
        [dark.act, [...onDark, dark.onAct]],
        [dark.actStrong, [...onDark, dark.onAct]],
        ['#f4f1e6', [light.deep, dark.deep]],
        ['#b9cfc2', [light.deep, dark.deep]],
        ['#1c211f', [light.tint]],
        ['#ecf0ee', [dark.tint]],
      ] as const) {
        const contrast = contrastOf(color, others);
        assert.ok(contrast >= minContrast, `${color} on ${others.join(' ')}: ${contrast}`);
      }
    });
  }

  it('are those of the accent itself where it can be read', () => {
    assert.equal(themeOf('#7b3fe4').light.act, '#7b3fe4');
    const [light, dark] = judgeAccent('#ffff00');
    assert.ok(light!.contrast < 1.1 && light!.shownContrast >= minContrast);
    assert.ok(dark!.contrast > 10 && dark!.shown === '#ffff00');
  });

  it('are the tokens of every page without an accent of its own', () => {
    const css = readFileSync(new URL('../pages/tokens.css', import.meta.url), 'utf8');
    for (const [, token, light, dark] of themeStyles(defaultAccent).matchAll(
      /(--[\w-]+):light-dark\((#\w+),(#\w+)\)/g,
    )) {
      assert.ok(css.includes(`${token}: light-dark(${light}, ${dark});`), `${token}`);
    }
  });
});
