import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textOfPdf } from '../../../test/support/pdf.ts';
import type { Summary } from './summary.ts';
import { summaryPdf } from './summary-pdf.ts';

describe('the PDF of a petition', () => {
  const writePdf = async (description: string) => {
    const petition = { title: 'Keep it open', signature_count: 1, description };
    const rest = { url: '', madeAt: new Date(), milestones: [], places: [], signers: [] };
    const start = performance.now();
    const pdf = await summaryPdf({ petition, ...rest } as unknown as Summary);
    return { text: textOfPdf(pdf), milliseconds: performance.now() - start };
  };

  it('takes about as long for any kind of text', async () => {
    const repeated = (part: string) => part.repeat(50_000 / Array.from(part).length);
    // Loads modules that are imported on first use.
    await writePdf('字');
    const words = await writePdf(repeated('word '));
    assert.equal(words.text.match(/word/g)!.length, 10_000);
    for (const part of ['x', '字', '! ', ' ']) {
      const { milliseconds } = await writePdf(repeated(part));
      const times = milliseconds / words.milliseconds;
      assert.ok(times < 10, `${JSON.stringify(part)} took ${times} times as long`);
    }
  });

  it('contains a text without spaces completely, and truncates a long transcription', async () => {
    const { text } = await writePdf('字'.repeat(3000));
    assert.equal(text.replaceAll('\n', '').match(/Zi/g)!.length, 3000);
    const emoji = (await writePdf('a 🫰 '.repeat(12_500))).text;
    assert.match(emoji, /:hand_with_index_finger_and_thumb_crossed:/);
    assert.match(emoji, /…/);
    assert.ok(emoji.length < 250_000);
  });
});
