/** Portraits of people of the demo world, drawn as SVG from a few features. */

const backgrounds = ['#cfe3d6', '#f3d9b8', '#d5dcf0', '#f2cdc2', '#e3d6ee', '#d3e6ea'];
const skins = ['#f0c8a6', '#e0a986', '#b97a53', '#8d5a3b', '#5c3a28'];
const hairs: Record<string, string> = {
  k: '#2b2019',
  n: '#5a3a24',
  f: '#c99a52',
  g: '#d8d4cc',
  r: '#8a3a1e',
};
const clothes = ['#2f6690', '#c8553d', '#588157', '#6d4c8f', '#e0a030', '#3d4a5c'];

/** Hair behind and before the face, by style. */
const styles: Record<string, (hair: string) => [behind: string, before: string]> = {
  s: (hair) => [
    '',
    `<path d="M62 118Q58 58 128 56Q198 58 194 118Q176 84 128 86Q80 84 62 118Z" fill="${hair}"/>`,
  ],
  l: (hair) => [
    `<path d="M56 120Q52 46 128 46Q204 46 200 120L206 214H50Z" fill="${hair}"/>`,
    `<path d="M64 116Q70 66 128 62Q190 66 192 116Q160 104 140 78Q112 108 64 116Z" fill="${hair}"/>`,
  ],
  c: (hair) => [
    `<circle cx="128" cy="92" r="80" fill="${hair}"/>`,
    `<path d="M68 112Q80 76 128 74Q176 76 188 112Q168 66 128 60Q88 66 68 112Z" fill="${hair}"/>`,
  ],
  b: (hair) => [
    `<circle cx="128" cy="42" r="26" fill="${hair}"/>`,
    `<path d="M62 120Q58 56 128 54Q198 56 194 120Q180 92 150 82Q100 82 62 120Z" fill="${hair}"/>`,
  ],
  t: (hair) => [
    '',
    `<path d="M66 106Q64 66 90 60Q100 96 66 106ZM190 106Q192 66 166 60Q156 96 190 106Z" fill="${hair}"/>`,
  ],
  v: () => [
    '<path d="M50 128Q48 40 128 40Q208 40 206 128L214 226H42Z" fill="#3d6b74"/>',
    '<path d="M64 132Q60 62 128 60Q196 62 192 132Q190 78 128 80Q66 78 64 132Z" fill="#3d6b74"/>',
  ],
};

/**
 * A portrait by a look: a digit for the skin, a letter for the style of the hair (short, long, curly, bun, thin or veil),
 * one for its colour, and `o` for glasses. The number chooses the colours of clothes and background.
 */
export function portraitSvg(look: string, n: number): Buffer {
  const [skinIndex, style, hair, hasGlasses] = look;
  const skin = skins[Number(skinIndex)]!;
  const [behind, before] = styles[style!]!(hairs[hair!]!);
  const glasses =
    '<g fill="none" stroke="#2d3440" stroke-width="5"><circle cx="104" cy="128" r="19"/><circle cx="152" cy="128" r="19"/><path d="M123 126q5 -5 10 0"/></g>';
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256" viewBox="0 0 256 256">
<rect width="256" height="256" fill="${backgrounds[n % backgrounds.length]!}"/>${behind}
<path d="M28 256Q34 200 128 198Q222 200 228 256Z" fill="${clothes[(n * 5) % clothes.length]!}"/>
<path d="M106 176h44v30q-22 18 -44 0Z" fill="${skin}"/><path d="M106 182q22 20 44 0v8q-22 18 -44 0Z" fill="#00000022"/>
<ellipse cx="128" cy="130" rx="62" ry="68" fill="${skin}"/>
<circle cx="104" cy="128" r="7" fill="#20242c"/><circle cx="152" cy="128" r="7" fill="#20242c"/>
<path d="M92 110q12 -8 24 -2M140 108q12 -6 24 2" fill="none" stroke="#20242c" stroke-width="4" stroke-linecap="round"/>
<path d="M128 134q-8 16 2 18" fill="none" stroke="#00000033" stroke-width="4" stroke-linecap="round"/>
<path d="M106 164q22 ${18 + (n % 3) * 5} 44 0" fill="none" stroke="#7a2f28" stroke-width="5" stroke-linecap="round"/>
<circle cx="88" cy="152" r="10" fill="#e0664422"/><circle cx="168" cy="152" r="10" fill="#e0664422"/>${before}${hasGlasses ? glasses : ''}
</svg>`);
}
