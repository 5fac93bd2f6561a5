import assert from 'node:assert/strict';
import { it } from 'node:test';
import { compareInTurn, compareTexts, type Piece } from './compare.ts';

/** Pieces as one text: [-removed-], {+added+}. */
const written = (pieces: Piece[] | undefined) =>
  pieces
    ?.map(({ kind, text }) =>
      kind === 'same' ? text : kind === 'removed' ? `[-${text}-]` : `{+${text}+}`,
    )
    .join('');

const textOf = (pieces: Piece[], without: Piece['kind']) =>
  pieces.flatMap(({ kind, text }) => (kind === without ? [] : text)).join('');

it('marks words, and phrases as a whole', () => {
  const cases: [string, string, string][] = [
    ['Keep the path.', 'Keep the path.', 'Keep the path.'],
    ['Keep the path open', 'Keep the road open', 'Keep the [-path-]{+road+} open'],
    ['Close the old path', 'Close our new way', 'Close [-the old path-]{+our new way+}'],
    ['One.\n\nTwo.', 'One.\n\nAnd a half.\n\nTwo.', 'One.\n\n{+And a half.\n\n+}Two.'],
    ['أنيروا الممر القديم', 'أنيروا الممر الجديد', 'أنيروا الممر [-القديم-]{+الجديد+}'],
    ['河边的路', '河边的灯', '河边的[-路-]{+灯+}'],
    ['Crème brûlée', 'Crème brulée', 'Crème [-brûlée-]{+brulée+}'],
  ];
  for (const [before, after, expected] of cases) {
    assert.equal(written(compareTexts(before, after)), expected);
  }
});

it('loses no character of either text', () => {
  const random = (seed: number) => {
    let state = seed;
    return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  };
  for (let seed = 1; seed <= 200; seed++) {
    const next = random(seed);
    const make = () =>
      Array.from(
        { length: 40 },
        () => ['a', 'b', ' ', '  ', '\n', '.', '😀', 'é'][(next() * 8) | 0],
      ).join('');
    const [before, after] = [make(), make()];
    const pieces = compareTexts(before, after)!;
    assert.equal(textOf(pieces, 'added'), before);
    assert.equal(textOf(pieces, 'removed'), after);
  }
});

it('gives up early on long texts that share nothing', () => {
  const words = (prefix: string, length: number) => {
    let text = '';
    for (let n = 0; text.length < length; n++) text += `${prefix}${n.toString(36)} `;
    return text;
  };
  const pairs: [string, string][] = [
    [words('a', 20_000), words('b', 20_000)],
    [words('a', 50_000), words('b', 50_000)],
    ['a.'.repeat(25_000), 'b,'.repeat(25_000)],
    // Repeats itself, so that every part of it fits everywhere.
    ['a b '.repeat(12_500), 'b a a '.repeat(8_000)],
  ];
  // The first call compiles.
  compareTexts(words('c', 5000), words('d', 5000));
  const timeOf = (before: string, after: string) => {
    const startedAt = performance.now();
    compareTexts(before, after);
    return performance.now() - startedAt;
  };
  for (const [before, after] of pairs) {
    // The best of three: other processes run meanwhile.
    const ms = Math.min(...[1, 2, 3].map(() => timeOf(before, after)));
    assert.ok(ms < 150, `${ms} ms`);
  }
  assert.equal(compareTexts(...pairs[0]!), undefined);
});

it('lets other work run between texts that are compared at once', async () => {
  let turns = 0;
  const next = () => {
    turns += 1;
    turning = setImmediate(next);
  };
  let turning = setImmediate(next);
  await Promise.all(Array.from({ length: 20 }, (_, n) => compareInTurn(`a ${n}`, `b ${n}`)));
  clearImmediate(turning);
  assert.ok(turns >= 19, `${turns} turns`);
  const all = Array.from({ length: 102 }, () => compareInTurn('a', 'b'));
  const answers = await Promise.allSettled(all);
  assert.equal(answers.filter(({ status }) => status === 'rejected').length, 1);
});
