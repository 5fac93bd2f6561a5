import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import PdfDocument from 'pdfkit';
import { linesOfPdf, missingGlyphsOf } from '../../../test/support/pdf.ts';
import { Typesetter, type TextOptions } from './typesetter.ts';

const options: TextOptions = { size: 12, width: 300, maxLines: 3 };

/** Lays out and draws a text. */
async function set(text: string, changes: Partial<TextOptions> = {}) {
  const document = new PdfDocument({ margin: 0 });
  const typesetter = new Typesetter(document);
  await typesetter.prepare([text]);
  const lines = typesetter.layOut(text, { ...options, ...changes });
  for (const [index, line] of lines.entries()) typesetter.draw(line, 300, 50 + index * 20);
  document.end();
  const pdf = Buffer.concat(await Array.fromAsync(document as AsyncIterable<Buffer>));
  return {
    lines,
    pdf,
    texts: lines.map((line) => line.text),
    /** What stands on the first line, from left to right; each run in the order in which it is read. */
    visual: lines[0]?.runs.map((run) => run.text) ?? [],
  };
}

describe('the typesetter', () => {
  it('has a glyph for each character of the scripts of large languages', async () => {
    const texts = {
      latin: 'Größe, œuvre, niño, łódź, ığdır, Việt Nam, e\u0301x\u0323',
      others: 'Русский Ελληνικά ქართული Հայերեն አማርኛ',
      arabic: 'أَبْقُوا الحافلةَ ۱۲٣ پاکستان کی سڑکیں ئۇيغۇرچە',
      hebrew: 'שָׁלוֹם (12)',
      indic: 'हिन्दी क्षत्रिय বাংলা ગુજરાતી ਪੰਜਾਬੀ ଓଡ଼ିଆ தமிழ் తెలుగు ಕನ್ನಡ മലയാളം සිංහල',
      asian: 'ภาษาไทย ລາວ ខ្មែរ မြန်မာ 请愿书 臺灣請願 日本語のひらがなカタカナ 한국어 서명',
      emoji: '😀 🙏🏽 👩‍👩‍👧 🇫🇷 ❤️ 1️⃣',
    };
    for (const [name, text] of Object.entries(texts)) {
      const { pdf, texts: shown } = await set(text, { maxLines: 9 });
      assert.equal(missingGlyphsOf(pdf), 0, name);
      const strip = (one: string) => one.replaceAll(/\s|\u200d|\ufe0f/g, '');
      assert.equal(strip(shown.join('')), strip(text.normalize('NFC')), name);
    }
  });

  it('transcribes what no font has, and omits what cannot be seen', async () => {
    assert.deepEqual((await set('ᚠᚢ is old')).texts, ['fu is old']);
    assert.deepEqual((await set('a\u0000b\u202ec\u00add\ufeff\u{e0041}')).texts, ['abcd']);
    assert.deepEqual((await set(' \n ')).texts, []);
  });

  it('orders text in both directions', async () => {
    const mixed = await set('أبقوا الخط N7 (رقم 12) الآن');
    assert.equal(mixed.lines[0]!.direction, 'rtl');
    // The brackets are mirrored, so that they open towards what they hold.
    assert.deepEqual(mixed.visual, ['الآن', '( ', '12', 'رقم ', ' )', 'N7', 'أبقوا الخط ']);
    const inEnglish = await set('Say שלום עולם twice');
    assert.equal(inEnglish.visual.join('|'), 'Say |שלום עולם| |twice');
    const isolated = await set('من \u2068Ada (B.)\u2069.', { direction: 'rtl' });
    assert.deepEqual(isolated.visual.join('|'), '.|Ada (B.)|من ');
  });

  it('draws lines from right to left where they end', async () => {
    const { lines, pdf } = await set('שלום');
    assert.equal(lines[0]!.direction, 'rtl');
    assert.ok(lines[0]!.width > 20);
    // Readers of PDF files disagree on the order of such a text.
    assert.deepEqual(linesOfPdf(pdf), []);
    assert.deepEqual(linesOfPdf((await set('(a) \\ हिन्दी')).pdf), ['(a) \\ हिन्दी']);
  });

  it('breaks lines between words, and in words that are too long', async () => {
    const english = await set('one two three four', { width: 60 });
    assert.deepEqual(english.texts, ['one two', 'three four']);
    const long = await set('W'.repeat(200), { maxLines: 50 });
    assert.equal(long.texts.join(''), 'W'.repeat(200));
    assert.ok(long.lines.every(({ width }) => width <= 300));
    const chinese = await set('请愿书请愿书，请愿书请愿书。', { width: 76 });
    assert.ok(chinese.texts.length > 1);
    assert.ok(chinese.texts.every((line) => !/^[，。]/.test(line)));
    const thai = await set('ภาษาไทยไม่มีช่องว่างระหว่างคำ', { width: 60 });
    assert.ok(thai.lines.every(({ width }) => width <= 60));
    assert.deepEqual((await set('one\n\ntwo')).texts, ['one', 'two']);
  });

  it('ends a text that is too long with an ellipsis', async () => {
    const { texts, lines } = await set('word '.repeat(500));
    assert.equal(texts.length, 3);
    assert.match(texts[2]!, / word…$/);
    assert.match((await set('End. '.repeat(500))).texts[2]!, /\. End…$/);
    assert.ok(lines.every(({ width }) => width <= 300));
    const unbroken = await set('W'.repeat(500));
    assert.match(unbroken.texts[2]!, /^W+…$/);
    assert.ok(unbroken.lines.every(({ width }) => width <= 300));
  });
});
