import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import PdfDocument from 'pdfkit';
import { textOfPdf } from '../../../test/support/pdf.ts';
import type { Summary } from './summary.ts';
import { summaryPdf } from './summary-pdf.ts';

describe('the PDF of a petition', () => {
  const writePdf = async (description: string) => {
    const petition = { title: 'Keep it open', signature_count: 1, description };
    const rest = { url: '', madeAt: new Date(), milestones: [], places: [], signers: [] };
    const pdf = await summaryPdf({ petition, ...rest } as unknown as Summary);
    return textOfPdf(pdf);
  };

  it('measures each character a few times only, whatever the text is made of', async (t) => {
    // Measuring takes most of the time: where lines had no breaks, each character was measured 290 times.
    const measure = t.mock.method(PdfDocument.prototype, 'widthOfString');
    const charactersMeasured = async (description: string) => {
      measure.mock.resetCalls();
      await writePdf(description);
      const calls = measure.mock.calls as { arguments: [text: string] }[];
      return calls.reduce((sum, call) => sum + call.arguments[0].length, 0);
    };
    const of = (part: string) => part.repeat(50_000 / Array.from(part).length);
    assert.equal((await writePdf(of('word '))).match(/word/g)!.length, 10_000);
    for (const part of ['word ', 'x', '字', '! ', ' ']) {
      const times = (await charactersMeasured(of(part))) / 50_000;
      assert.ok(times < 30, `${JSON.stringify(part)}: ${times} times`);
    }
  });

  it('has all of a text without spaces, and the beginning of one that is transcribed without end', async () => {
    const text = await writePdf('字'.repeat(3000));
    assert.equal(text.replaceAll('\n', '').match(/Zi/g)!.length, 3000);
    const emoji = await writePdf('a 🫰 '.repeat(12_500));
    assert.match(emoji, /:hand_with_index_finger_and_thumb_crossed:/);
    assert.match(emoji, /…/);
    assert.ok(emoji.length < 250_000);
  });
});
