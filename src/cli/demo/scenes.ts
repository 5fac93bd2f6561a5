/** Pictures of the demo world, drawn as SVG: made for this project, free of anybody's rights, and small. */

const width = 1280;
const height = 720;

/** Numbers from 0 to 1 that are the same in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const times = (count: number, draw: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => draw(n)).join('');

const rect = (x: number, y: number, w: number, h: number, fill: string, radius = 0) =>
  `<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="${radius}" fill="${fill}"/>`;
const circle = (x: number, y: number, r: number, fill: string) =>
  `<circle cx="${x}" cy="${y}" r="${r}" fill="${fill}"/>`;
const ellipse = (x: number, y: number, rx: number, ry: number, fill: string) =>
  `<ellipse cx="${x}" cy="${y}" rx="${rx}" ry="${ry}" fill="${fill}"/>`;
const path = (d: string, fill: string, more = '') => `<path d="${d}" fill="${fill}" ${more}/>`;
const line = (d: string, stroke: string, thickness: number) =>
  path(
    d,
    'none',
    `stroke="${stroke}" stroke-width="${thickness}" stroke-linecap="round" stroke-linejoin="round"`,
  );
const at = (x: number, y: number, scale: number, content: string) =>
  `<g transform="translate(${x} ${y}) scale(${scale})">${content}</g>`;

/** A sky from edge to edge, in two colours. */
const sky = (top: string, bottom: string) =>
  `<defs><linearGradient id="sky" x2="0" y2="1"><stop stop-color="${top}"/><stop offset="1" stop-color="${bottom}"/></linearGradient></defs>${rect(0, 0, width, height, 'url(#sky)')}`;

/** A soft light around a point. */
const glow = (x: number, y: number, r: number, colour: string) =>
  [1, 0.7, 0.45]
    .map((part) => `<circle cx="${x}" cy="${y}" r="${r * part}" fill="${colour}" opacity="0.16"/>`)
    .join('');

/** A range of hills whose ridge is at about `y`. */
function hills(seed: number, y: number, size: number, fill: string): string {
  const next = numbers(seed);
  const points = Array.from({ length: 7 }, (_, n) => [n * 214, y - next() * size] as const);
  const curve = points
    .slice(1)
    .map(([x, top], n) => {
      const [before, beforeTop] = points[n]!;
      const middle = (before + x) / 2;
      return `C${middle} ${beforeTop} ${middle} ${top} ${x} ${top}`;
    })
    .join('');
  return path(`M0 ${points[0]![1]}${curve}V${height}H0Z`, fill);
}

function stars(seed: number, count: number): string {
  const next = numbers(seed);
  return times(count, () => circle(next() * width, next() * 340, 1 + next() * 2, '#fdf3d0'));
}

/** A row of houses on the ground at `y`; `lit` of their windows are lit. */
function houses(seed: number, y: number, colours: string[], lit: string, share: number): string {
  const next = numbers(seed);
  let x = -20;
  let drawn = '';
  while (x < width) {
    const w = 110 + next() * 90;
    const h = 150 + next() * 170;
    drawn += rect(x, y - h, w, h, colours[Math.floor(next() * colours.length)]!);
    if (next() < 0.5)
      drawn += path(
        `M${x - 8} ${y - h}L${x + w / 2} ${y - h - 55}L${x + w + 8} ${y - h}Z`,
        '#5b3a34',
      );
    for (let row = y - h + 26; row < y - 50; row += 52) {
      for (let column = x + 20; column < x + w - 32; column += 40)
        drawn += rect(column, row, 20, 28, next() < share ? lit : '#00000033', 2);
    }
    x += w + 4;
  }
  return drawn;
}

const tree = (x: number, y: number, scale: number, leaf: string, trunk = '#5a4334') =>
  at(
    x,
    y,
    scale,
    rect(-7, -90, 14, 90, trunk, 4) +
      circle(0, -130, 58, leaf) +
      circle(-38, -100, 38, leaf) +
      circle(38, -100, 40, leaf) +
      `<circle cx="-14" cy="-146" r="26" fill="#fff" opacity="0.12"/>`,
  );

/** A standing person, 150 high. */
const person = (
  x: number,
  y: number,
  scale: number,
  skin: string,
  coat: string,
  hair = '#2b2019',
) =>
  at(
    x,
    y,
    scale,
    rect(-16, -58, 13, 58, '#2d3440', 4) +
      rect(3, -58, 13, 58, '#2d3440', 4) +
      path('M-26 -48 Q-28 -112 0 -114 Q28 -112 26 -48Z', coat) +
      circle(0, -130, 20, skin) +
      path('M-21 -130 Q-20 -154 0 -154 Q20 -154 21 -130 Q8 -142 -21 -130Z', hair),
  );

const skins = ['#8d5a3b', '#e0a986', '#5c3a28', '#f0c8a6', '#b97a53'];
const coats = ['#c8553d', '#f2b134', '#2f6690', '#588157', '#9b5de5', '#e07a5f'];

/** People side by side. */
const crowd = (count: number, x: number, y: number, step: number, scale: number) =>
  times(count, (n) =>
    person(
      x + n * step,
      y + (n % 3) * 9,
      scale * (0.86 + (n % 4) * 0.06),
      skins[n % 5]!,
      coats[n % 6]!,
    ),
  );

const waves = (y: number, rows: number, colour: string) =>
  times(rows, (n) =>
    times(9, (m) =>
      line(`M${m * 160 - (n % 2) * 80} ${y + n * 44} q20 -12 40 0 q20 12 40 0`, colour, 5),
    ),
  );

const lamp = (x: number, y: number, h: number, light: string) =>
  glow(x, y - h, 90, light) + rect(x - 4, y - h, 8, h, '#20242c') + circle(x, y - h, 15, light);

const tram = (x: number, y: number) =>
  at(
    x,
    y,
    1,
    rect(0, -190, 640, 160, '#e5b73b', 34) +
      rect(0, -76, 640, 46, '#f6efe0') +
      times(5, (n) => rect(36 + n * 118, -164, 96, 74, '#fff3c4', 10)) +
      times(
        4,
        (n) =>
          circle(92 + n * 136, -112, 15, skins[n]!) + rect(72 + n * 136, -98, 40, 10, coats[n]!, 5),
      ) +
      line('M320 -190 L290 -236 L350 -262', '#20242c', 6) +
      times(4, (n) => circle(110 + n * 140, -22, 24, '#20242c')),
  );

const book = (n: number, x: number, y: number) => {
  const w = 26 + ((n * 7) % 22);
  const h = 120 + ((n * 37) % 60);
  return (
    rect(x, y - h, w, h, coats[(n * 5) % 6]!, 3) + rect(x + 4, y - h + 22, w - 8, 8, '#ffffff66')
  );
};

const cross = (x: number, y: number, s: number, fill: string) =>
  rect(x - s / 6, y - s / 2, s / 3, s, fill, 4) + rect(x - s / 2, y - s / 6, s, s / 3, fill, 4);

const bee = (x: number, y: number, s: number) =>
  at(
    x,
    y,
    s,
    ellipse(-8, -18, 16, 10, '#ffffffaa') +
      ellipse(14, -18, 16, 10, '#ffffffaa') +
      ellipse(0, 0, 26, 17, '#f2b134') +
      rect(-12, -16, 7, 32, '#33271a') +
      rect(3, -16, 7, 32, '#33271a'),
  );

const reeds = (seed: number, y: number, count: number) => {
  const next = numbers(seed);
  return times(count, () => {
    const x = next() * width;
    const h = 120 + next() * 160;
    return (
      line(`M${x} ${y} q${next() * 20 - 10} ${-h / 2} ${next() * 30 - 15} ${-h}`, '#3f6b46', 5) +
      ellipse(x, y - h, 7, 24, '#6b4a2f')
    );
  });
};

const beanColours = ['#7a3b2e', '#2d2320', '#e8c9a0', '#a3241b', '#c98b3b'];

/** Beans scattered on a table. */
function beans(seed: number, count: number): string {
  const next = numbers(seed);
  return times(count, (n) => {
    const [x, y, turn] = [next() * width, next() * height, Math.floor(next() * 360)];
    return `<g transform="translate(${x} ${y}) rotate(${turn})">${ellipse(0, 0, 34, 21, beanColours[n % 5]!)}${ellipse(-6, -8, 12, 5, '#ffffff55')}</g>`;
  });
}

/** Scenes by name. Each is a picture of 1,280 × 720. */
const scenes = {
  tram: () =>
    sky('#101a3a', '#3b3f6b') +
    stars(3, 60) +
    circle(1060, 130, 52, '#fdf3d0') +
    houses(5, 560, ['#232a4d', '#2b3157', '#1c2343'], '#f7d774', 0.35) +
    rect(0, 560, width, 160, '#171b2e') +
    line('M0 236 H1280', '#0b0f20', 3) +
    tram(300, 590) +
    rect(0, 604, width, 8, '#8a8fa8') +
    lamp(1120, 590, 230, '#ffd98a') +
    person(1000, 640, 1.15, '#8d5a3b', '#c8553d') +
    person(1064, 648, 1.05, '#f0c8a6', '#588157', '#c98b3b'),
  crossing: () =>
    sky('#9fd3ea', '#eaf6ef') +
    circle(180, 120, 56, '#fff3c4') +
    hills(4, 420, 80, '#a9cfa0') +
    rect(420, 210, 460, 250, '#c9654a') +
    path('M400 214 L650 110 L900 214Z', '#7c3b2d') +
    times(6, (n) =>
      rect(450 + (n % 3) * 150, 250 + Math.floor(n / 3) * 100, 84, 62, '#e9f3f7', 6),
    ) +
    rect(612, 378, 76, 82, '#5b3a34', 4) +
    tree(240, 470, 1.2, '#5d9b63') +
    tree(1060, 470, 1.35, '#4c8a57') +
    rect(0, 460, width, 260, '#56606b') +
    times(7, (n) => path(`M${330 + n * 96} 480 h54 l${(n - 3) * 22} 240 h-70Z`, '#f4f1e6')) +
    crowd(5, 470, 650, 84, 1.05) +
    rect(1090, 440, 10, 190, '#30363d') +
    circle(1095, 440, 34, '#f2b134'),
  kerbs: () =>
    sky('#f7d9b5', '#fbeede') +
    houses(11, 520, ['#d98b5f', '#e8b787', '#b5654a', '#cf9f72'], '#fff0c2', 0.3) +
    rect(0, 520, width, 90, '#c9bfae') +
    rect(0, 604, width, 20, '#8d8373') +
    rect(0, 624, width, 96, '#5f6670') +
    tree(120, 530, 1.15, '#6f9d5a') +
    at(
      620,
      610,
      1.5,
      circle(0, -40, 40, '#20242c') +
        circle(0, -40, 30, '#c9bfae') +
        circle(56, -16, 16, '#20242c') +
        path('M-20 -70 h44 v14 h-44Z', '#30363d') +
        path('M-14 -72 Q-18 -122 4 -124 Q26 -122 22 -72Z', '#2f6690') +
        line('M14 -66 H46 V-24 H62', '#2d3440', 12) +
        circle(4, -142, 18, '#f0c8a6') +
        path('M-15 -142 Q-12 -164 6 -162 Q22 -160 22 -144 Q8 -152 -15 -142Z', '#7a4a2a'),
    ),
  hives: () =>
    sky('#8ec9e8', '#fdf0cf') +
    circle(1040, 150, 64, '#fff3c4') +
    houses(23, 720, ['#b76e56', '#c98a6a', '#9d5b4c'], '#fff0c2', 0.2) +
    rect(0, 560, width, 160, '#6e5a50') +
    times(4, (n) =>
      at(
        200 + n * 240,
        560,
        1,
        rect(0, -130, 130, 62, coats[n]!, 6) +
          rect(0, -64, 130, 64, '#f4e9d0', 6) +
          rect(-8, -146, 146, 18, '#7d8790', 4) +
          rect(38, -22, 54, 10, '#33271a', 5),
      ),
    ) +
    times(9, (n) => bee(160 + n * 120, 250 + ((n * 83) % 170), 0.7 + (n % 3) * 0.25)) +
    person(1120, 640, 1.5, '#e0a986', '#f4f1e6'),
  turtles: () =>
    sky('#0b1633', '#2a4a6b') +
    stars(9, 80) +
    circle(300, 140, 60, '#fdf3d0') +
    rect(0, 330, width, 140, '#17365a') +
    path('M250 330 h100 l60 140 h-220Z', '#fdf3d0', 'opacity="0.2"') +
    path('M0 470 Q420 420 1280 480 V720 H0Z', '#c9a878') +
    times(3, (n) => lamp(900 + n * 130, 470, 150, '#e8943a')) +
    times(4, (n) =>
      at(
        240 + n * 170,
        610 - n * 26,
        1 - n * 0.12,
        ellipse(-34, 20, 24, 9, '#4f6b3f') +
          ellipse(40, 22, 26, 9, '#4f6b3f') +
          ellipse(0, 0, 54, 34, '#4a5d34') +
          ellipse(0, -4, 40, 24, '#6d8248') +
          circle(62, -6, 16, '#5f7a48'),
      ),
    ),
  theatre: () =>
    rect(0, 0, width, height, '#2a1118') +
    path('M360 0 L640 0 L980 640 L300 640Z', '#ffe7a8', 'opacity="0.16"') +
    rect(0, 600, width, 120, '#5a3524') +
    times(8, (n) => rect(n * 40, 0, 30, 620, n % 2 ? '#a3241b' : '#8a1c16')) +
    times(8, (n) => rect(960 + n * 40, 0, 30, 620, n % 2 ? '#8a1c16' : '#a3241b')) +
    path(
      'M0 0 H1280 V90 Q1120 150 960 90 Q800 150 640 90 Q480 150 320 90 Q160 150 0 90Z',
      '#b8332a',
    ) +
    line('M560 96 V330 M720 96 V300', '#e9d8a8', 2) +
    at(
      560,
      590,
      1.9,
      path('M-40 0 Q-44 -90 0 -94 Q44 -90 40 0Z', '#6b6f76') +
        path('M-34 -150 l12 30 h44 l12 -30 l14 62 q-48 44 -96 0Z', '#7d838b') +
        circle(-14, -106, 6, '#fff') +
        circle(14, -106, 6, '#fff') +
        circle(0, -82, 9, '#20242c'),
    ) +
    at(
      720,
      590,
      1.7,
      path('M-34 0 Q-36 -80 0 -84 Q36 -80 34 0Z', '#c8553d') +
        circle(0, -106, 26, '#f0c8a6') +
        path('M-32 -104 Q-30 -146 0 -146 Q30 -146 32 -104 Q0 -130 -32 -104Z', '#b8332a'),
    ) +
    times(11, (n) => circle(60 + n * 118, 706 + (n % 2) * 14, 46, '#180a0e')),
  repair: () =>
    rect(0, 0, width, height, '#f1dfc2') +
    times(6, (n) => rect(0, n * 70, width, 2, '#e2cda9')) +
    rect(0, 470, width, 40, '#8a5a36') +
    rect(0, 510, width, 210, '#6d4528') +
    rect(380, 130, 320, 340, '#f7f7f4', 16) +
    rect(380, 130, 320, 60, '#dfe3e4', 16) +
    circle(540, 330, 106, '#b9c3c8') +
    circle(540, 330, 80, '#3d5563') +
    path('M476 350 q32 -34 64 0 t64 0 v20 q-64 52 -128 0Z', '#7fb2c9') +
    circle(640, 160, 14, '#c8553d') +
    line('M110 150 V330 M170 150 V330', '#7d8790', 16) +
    line('M110 330 V430', '#c8553d', 28) +
    line('M170 330 V430', '#2f6690', 28) +
    circle(270, 410, 58, '#7d8790') +
    circle(270, 410, 26, '#f1dfc2') +
    person(900, 640, 2.6, '#8d5a3b', '#2f6690') +
    person(1110, 650, 2.4, '#f0c8a6', '#588157', '#d8d4cc'),
  court: () =>
    sky('#b9c9dd', '#f3eee2') +
    path('M300 250 L640 110 L980 250Z', '#d8cfbd') +
    rect(320, 250, 640, 34, '#c7bca7') +
    times(6, (n) => rect(360 + n * 104, 284, 44, 240, '#e6dece', 6)) +
    rect(300, 524, 680, 26, '#c7bca7') +
    rect(260, 550, 760, 26, '#b8ad98') +
    rect(0, 576, width, 144, '#8fa08a') +
    tree(150, 590, 1.5, '#5b8a5e') +
    tree(1130, 590, 1.4, '#6b9a63') +
    rect(540, 590, 200, 16, '#6d4528') +
    person(600, 690, 1.1, '#e0a986', '#9b5de5') +
    person(690, 690, 1.15, '#5c3a28', '#f2b134'),
  road: () =>
    sky('#f2915b', '#fbe3b5') +
    circle(640, 330, 90, '#fff3c4') +
    hills(7, 430, 120, '#a86a5b') +
    hills(8, 480, 80, '#7d5a5a') +
    rect(0, 480, width, 240, '#5b6b4a') +
    path('M560 480 H720 L1010 720 H270Z', '#4a4f58') +
    times(4, (n) =>
      path(`M${636 - n * 2} ${500 + n * 56} h${8 + n * 4} l4 34 h${-16 - n * 4}Z`, '#f4f1e6'),
    ) +
    at(
      500,
      640,
      1.25,
      rect(0, -130, 250, 110, '#f4f1e6', 22) +
        rect(0, -62, 250, 20, '#c8553d') +
        times(4, (n) => rect(16 + n * 56, -116, 44, 42, '#3d5563', 6)) +
        circle(54, -18, 26, '#20242c') +
        circle(196, -18, 26, '#20242c'),
    ),
  courier: () =>
    sky('#3c4a66', '#8693a8') +
    houses(31, 560, ['#46516b', '#525e79', '#3b465f'], '#ffd98a', 0.4) +
    rect(0, 560, width, 160, '#30384a') +
    times(60, (n) => line(`M${(n * 173) % width} ${(n * 97) % 620} l-8 30`, '#c9d6ea66', 3)) +
    at(
      560,
      640,
      1.9,
      `<circle cx="-66" cy="-38" r="38" fill="none" stroke="#11151f" stroke-width="7"/><circle cx="76" cy="-38" r="38" fill="none" stroke="#11151f" stroke-width="7"/>` +
        line(
          'M-66 -38 L-20 -96 L50 -96 L76 -38 M-20 -96 L6 -38 L50 -96 M-66 -38 H6 M50 -96 L56 -116 H74',
          '#e5b73b',
          7,
        ) +
        path('M-42 -112 Q-40 -170 6 -178 L40 -126 L18 -118 L4 -140 L-8 -104Z', '#c8553d') +
        line('M-20 -108 L10 -74 L2 -42', '#20242c', 13) +
        circle(20, -192, 18, '#b97a53') +
        path('M-2 -196 Q2 -220 22 -218 Q42 -214 40 -194Z', '#f2b134') +
        rect(-86, -178, 62, 62, '#2f9e8f', 6),
    ),
  laboratory: () =>
    rect(0, 0, width, height, '#e7eef0') +
    rect(0, 60, width, 330, '#2f5d50', 10) +
    line('M180 230 H1100', '#e9f3ef', 3) +
    path(
      'M560 110 Q620 225 560 340 Q500 225 560 110Z',
      'none',
      'stroke="#e9f3ef" stroke-width="5"',
    ) +
    line('M180 150 L560 150 L960 300 M180 230 L560 230 M180 310 L560 310 L960 160', '#f2d16b', 4) +
    rect(0, 500, width, 220, '#a9744f') +
    at(
      260,
      500,
      1.5,
      path('M-22 -150 h44 v60 l52 82 q6 8 -6 8 h-136 q-12 0 -6 -8 l52 -82Z', '#ffffffcc') +
        path('M-50 -46 h100 l24 38 q6 8 -6 8 h-136 q-12 0 -6 -8Z', '#9b5de5'),
    ) +
    at(
      470,
      500,
      1.2,
      path('M-16 -150 h32 v130 q0 20 -16 20 t-16 -20Z', '#ffffffcc') +
        path('M-16 -70 h32 v50 q0 20 -16 20 t-16 -20Z', '#2f9e8f'),
    ) +
    person(800, 690, 2, '#5c3a28', '#f4f1e6') +
    person(980, 700, 1.8, '#8d5a3b', '#f2b134') +
    person(1130, 705, 1.7, '#5c3a28', '#c8553d'),
  library: () =>
    rect(0, 0, width, height, '#f3e3c8') +
    times(
      3,
      (row) =>
        rect(60, 60 + row * 210, 1160, 200, '#7a4f30', 4) +
        rect(76, 74 + row * 210, 1128, 176, '#4e3220'),
    ) +
    times(3, (row) => times(28, (n) => book(n + row * 9, 84 + n * 40, 250 + row * 210))) +
    rect(0, 640, width, 80, '#b98a5e') +
    person(430, 700, 1.9, '#5c3a28', '#c8553d') +
    person(560, 706, 1.35, '#8d5a3b', '#f2b134') +
    person(650, 706, 1.2, '#5c3a28', '#2f6690'),
  wetland: () =>
    sky('#f5c7a9', '#fdf0dc') +
    circle(900, 210, 70, '#fff3c4') +
    hills(12, 330, 90, '#93a98b') +
    hills(13, 370, 50, '#6d8c6b') +
    rect(0, 370, width, 350, '#7fb2b9') +
    waves(430, 6, '#ffffff55') +
    at(
      430,
      560,
      1.5,
      line('M-6 0 V-90 M14 0 V-90', '#5b4a3a', 5) +
        ellipse(4, -120, 56, 30, '#e8edf0') +
        line('M44 -132 Q84 -160 66 -206 Q62 -222 80 -226', '#e8edf0', 14) +
        path('M84 -234 l52 12 l-52 6Z', '#e59b3b'),
    ) +
    reeds(15, 720, 70),
  river: () =>
    sky('#a8d5e5', '#eaf4ef') +
    hills(17, 330, 70, '#9fbf95') +
    path('M0 300 H1280 V340 H0Z', '#8a7a66') +
    times(
      4,
      (n) =>
        path(`M${60 + n * 320} 400 a120 100 0 0 1 240 0Z`, '#eaf4ef') +
        rect(20 + n * 320, 330, 46, 90, '#8a7a66'),
    ) +
    rect(0, 400, width, 320, '#4f93ad') +
    waves(460, 6, '#ffffff55') +
    at(
      600,
      580,
      1.6,
      path('M-240 -10 H240 Q200 26 0 26 Q-200 26 -240 -10Z', '#c8553d') +
        times(
          4,
          (n) =>
            circle(-120 + n * 80, -66, 17, skins[n]!) +
            path(
              `M${-142 + n * 80} -8 Q${-144 + n * 80} -46 ${-120 + n * 80} -48 Q${-98 + n * 80} -46 ${-98 + n * 80} -8Z`,
              '#f4f1e6',
            ) +
            line(`M${-112 + n * 80} -20 l70 60`, '#7a4f30', 6),
        ),
    ),
  market: () =>
    sky('#f9d684', '#fdf3dc') +
    circle(1100, 110, 60, '#fff8dc') +
    houses(41, 500, ['#e8a56b', '#d9825b', '#f0c089'], '#fff0c2', 0.2) +
    rect(0, 500, width, 220, '#d6b98f') +
    times(4, (n) => tree(150 + n * 330, 520, 1.7, n % 2 ? '#4c8a57' : '#5d9b63')) +
    times(4, (n) =>
      at(
        40 + n * 320,
        640,
        1,
        rect(10, -130, 8, 130, '#5b3a34') +
          rect(212, -130, 8, 130, '#5b3a34') +
          times(6, (m) =>
            path(`M${m * 38} -170 h38 v52 q-19 18 -38 0Z`, m % 2 ? '#f4f1e6' : coats[n]!),
          ) +
          rect(6, -60, 220, 60, '#8a5a36', 4) +
          times(8, (m) => circle(24 + m * 26, -66, 13, coats[(m + n) % 6]!)),
      ),
    ) +
    crowd(6, 220, 700, 160, 1.1),
  field: () =>
    sky('#9fd3ea', '#f4f6dd') +
    hills(51, 330, 120, '#8fb987') +
    rect(0, 360, width, 360, '#7a5a3c') +
    times(13, (n) =>
      path(`M${628 + (n - 6) * 14} 360 h12 L${640 + (n - 6) * 190 + 60} 720 h-110Z`, '#5d9b3f'),
    ) +
    at(
      900,
      370,
      1,
      rect(0, -110, 170, 110, '#c9654a') +
        path('M-14 -108 L85 -180 L184 -108Z', '#5b3a34') +
        rect(66, -58, 40, 58, '#5b3a34'),
    ) +
    tree(820, 376, 0.9, '#4c8a57') +
    person(420, 640, 1.9, '#f0c8a6', '#2f6690', '#c9a14a') +
    at(
      560,
      640,
      1.4,
      path('M-60 -46 h120 l-14 46 h-92Z', '#a9744f') +
        times(
          5,
          (n) =>
            path(`M${-44 + n * 22} -50 l9 44 l9 -44Z`, '#e8843a') +
            line(`M${-35 + n * 22} -52 v-18`, '#4c8a57', 6),
        ),
    ),
  seeds: () =>
    rect(0, 0, width, height, '#efe3cb') +
    beans(81, 90) +
    at(
      640,
      560,
      2.2,
      path(
        'M-150 0 Q-140 -70 -60 -64 L60 -64 Q140 -70 150 0 Q100 70 0 70 Q-100 70 -150 0Z',
        '#8d5a3b',
      ) +
        times(9, (n) =>
          ellipse(
            -72 + n * 18,
            -58 + (n % 2) * 10,
            15,
            10,
            ['#a3241b', '#e8c9a0', '#2d2320'][n % 3]!,
          ),
        ),
    ),
  bay: () =>
    sky('#17213f', '#4a4a72') +
    stars(61, 50) +
    hills(62, 360, 110, '#232b4a') +
    houses(63, 440, ['#2f3760', '#39416c', '#272e52'], '#f7d774', 0.25) +
    rect(0, 440, width, 280, '#1f3a5c') +
    waves(500, 5, '#f7d77433') +
    glow(820, 250, 190, '#5fd3a3') +
    rect(700, 330, 240, 110, '#f4f1e6', 6) +
    rect(790, 366, 60, 74, '#2f9e8f', 4) +
    cross(820, 250, 120, '#5fd3a3') +
    rect(0, 610, width, 110, '#141c33') +
    person(610, 690, 1.5, '#e0a986', '#9b5de5', '#d8d4cc'),
  fountain: () =>
    sky('#bfe3ee', '#f6f3e4') +
    houses(71, 560, ['#d9b98f', '#c9a274', '#e4cba6'], '#e9f3f7', 0.5) +
    rect(0, 560, width, 160, '#cdbfa5') +
    rect(560, 360, 150, 300, '#6f8a93', 18) +
    path('M500 360 h270 l-30 60 h-210Z', '#8fa9b1') +
    line('M640 360 V290 Q640 262 668 262 Q690 262 690 290', '#4f6a73', 18) +
    line('M690 296 Q694 350 680 372', '#5cc3e8', 10) +
    person(860, 690, 1.35, '#8d5a3b', '#f2b134') +
    person(430, 695, 2, '#b97a53', '#c8553d'),
} satisfies Record<string, () => string>;

export type Scene = keyof typeof scenes;

/** A scene as SVG. */
export const sceneSvg = (name: Scene): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${scenes[name]()}</svg>`,
  );

export const sceneNames = Object.keys(scenes) as Scene[];
