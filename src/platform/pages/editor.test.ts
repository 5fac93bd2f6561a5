import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderMarkdown } from '../markdown/markdown.ts';

interface Selection {
  start: number;
  end: number;
}

interface Change extends Selection {
  from: number;
  to: number;
  text: string;
}

interface Marks {
  toggleEmphasis: (text: string, selection: Selection, mark: '*' | '**') => Change;
  toggleLines: (text: string, selection: Selection, kind: 'heading' | 'list' | 'quote') => Change;
  toggleLink: (text: string, selection: Selection) => Change;
  insertBlocks: (text: string, selection: Selection, blocks: string) => Change;
}

const marks = (await import(import.meta.resolve('./editor-marks.js'))) as Marks;

/** Reads a text whose selection stands between ‹ and ›, and changes it. Returns the new text in the same form. */
function changed(marked: string, change: (text: string, selection: Selection) => Change): string {
  const start = marked.indexOf('‹');
  const end = marked.indexOf('›') - 1;
  const text = marked.replaceAll(/[‹›]/g, '');
  const { from, to, ...rest } = change(text, { start, end });
  const result = text.slice(0, from) + rest.text + text.slice(to);
  return `${result.slice(0, rest.start)}‹${result.slice(rest.start, rest.end)}›${result.slice(rest.end)}`;
}

describe('marks of the editor', () => {
  it('makes bold and italics, and takes them away', () => {
    for (const [mark, before, after] of [
      ['**', 'a ‹b› c', 'a **‹b›** c'],
      ['**', 'a **‹b›** c', 'a ‹b› c'],
      ['**', 'a ‹**b**› c', 'a ‹b› c'],
      ['*', 'a **‹b›** c', 'a ***‹b›*** c'],
      ['*', 'a ***‹b›*** c', 'a **‹b›** c'],
      ['**', 'a ***‹b›*** c', 'a *‹b›* c'],
      ['**', 'a‹ b ›c', 'a **‹b›** c'],
      ['**', 'a ‹›c', 'a **‹›**c'],
      ['**', 'a **‹›**c', 'a ‹›c'],
      ['**', '‹- a\n\n- b›', '‹- **a**\n\n- **b**›'],
      ['**', '‹- **a**\n\n- **b**›', '‹- a\n\n- b›'],
      ['**', '‹كلمة›', '**‹كلمة›**'],
    ] as const) {
      const result = changed(before, (text, selection) =>
        marks.toggleEmphasis(text, selection, mark),
      );
      assert.equal(result, after, before);
    }
  });

  it('makes headings, lists and quotes of lines', () => {
    for (const [kind, before, after] of [
      ['heading', 'One‹›', '# One‹›'],
      ['heading', '## O‹›ne', 'O‹›ne'],
      ['list', 'a\n‹b\nc›\nd', 'a\n\n‹- b\n- c›\nd'],
      ['list', '‹- b\n- c›', '‹b\nc›'],
      ['list', '‹- b\nc›', '‹- b\n- c›'],
      ['list', '‹›', '- ‹›'],
      ['quote', '‹b\n\nc›', '‹> b\n>\n> c›'],
      ['quote', '> ‹b›', '‹b›'],
    ] as const) {
      const result = changed(before, (text, selection) => marks.toggleLines(text, selection, kind));
      assert.equal(result, after, before);
    }
  });

  it('makes links, and takes them away', () => {
    for (const [before, after] of [
      ['a ‹b›', 'a [b](‹https://›)'],
      ['a ‹https://a.example/x›', 'a [‹›](https://a.example/x)'],
      ['‹›', '[‹›](https://)'],
      ['‹[b](https://a.example)›', '‹b›'],
    ] as const) {
      assert.equal(changed(before, marks.toggleLink), after);
    }
  });

  it('separates inserted blocks', () => {
    for (const [before, blocks, after] of [
      ['a ‹b› c', 'x', 'a x‹› c'],
      ['a‹b›', '- x\n- y', 'a\n\n- x\n- y‹›'],
      ['a\n‹›\nb', '# x', 'a\n\n# x‹›\n\nb'],
      ['‹›', '# x', '# x‹›'],
    ] as const) {
      const result = changed(before, (text, selection) =>
        marks.insertBlocks(text, selection, blocks),
      );
      assert.equal(result, after, before);
    }
  });

  it('writes what the service renders', () => {
    const text = '- a\n- b';
    const { text: list } = marks.toggleEmphasis(text, { start: 0, end: text.length }, '**');
    assert.match(
      renderMarkdown(list, { baseUrl: 'https://petitions.example' }).text,
      /^<ul><li><strong>a<\/strong><\/li>\n<li><strong>b<\/strong><\/li>/,
    );
  });
});
