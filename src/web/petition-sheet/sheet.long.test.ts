import { decodeQR } from 'qr/decode.js';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { logInBrowser } from '../../../test/support/browser.ts';
import { hostileTexts } from '../../../test/support/hostile-texts.ts';
import { linesOfPdf, missingGlyphsOf, pagesOfPdf } from '../../../test/support/pdf.ts';
import {
  createDraft,
  createPublished,
  signUp,
  verifyAddress,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { languages } from '../../platform/pages/language.ts';
import { pageUrl } from '../../reach/embeds/embeds.ts';
import { sheetPdf } from './sheet-pdf.ts';
import type { SheetContent } from './sheet-content.ts';
import { sheetQuota } from './slice.ts';

const hasPoppler = (() => {
  try {
    execFileSync('pdftoppm', ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
const noPoppler = !hasPoppler && 'needs poppler-utils';

/** The text of a PDF, as poppler reads it. */
const readByPoppler = (pdf: Buffer): string =>
  execFileSync('pdftotext', ['-', '-'], { input: pdf, encoding: 'utf8' })
    .replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .replaceAll(/\s+/g, ' ');

/** What the QR code on the first page says. */
function readCode(pdf: Buffer): string {
  const ppm = execFileSync('pdftoppm', ['-r', '150', '-f', '1', '-l', '1'], {
    input: pdf,
    maxBuffer: 50_000_000,
  });
  const [header, size] = /^P6\n(\d+ \d+)\n255\n/.exec(ppm.toString('latin1', 0, 40))!;
  const [width, height] = size!.split(' ').map(Number) as [number, number];
  return decodeQR({ width, height, data: ppm.subarray(header.length) });
}

describe('the sheet for signatures on paper', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService({ env: { SITE_NAME: 'Open Petitions' } });
    creator = await signUp(service, 'Ada Lovelace');
    await verifyAddress(service, creator);
  });
  after(() => service[Symbol.asyncDispose]());

  const read = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(service.origin + path, { headers, redirect: 'manual' });
    return {
      status: answer.status,
      headers: answer.headers,
      pdf: Buffer.from(await answer.arrayBuffer()),
    };
  };
  const pathOf = ({ slug }: { slug: string }) => `/p/${slug}/sheet.pdf`;

  it('says who asks what, in the language of the petition', async () => {
    const petition = await createPublished(creator, {
      title: 'Keep the *night bus*',
      description:
        'It was cut last winter.\n\nBring **it** back, before the next one comes to the villages.',
      language: 'en',
      closesAt: '2099-01-31T12:00:00Z',
    });
    const maker = { name: 'Grace Hopper', title: 'Mayor', email: 'grace@example.org' };
    await creator.api.post(`/v1/petitions/${petition.id}/decision-makers`, maker);
    const { status, headers, pdf } = await read(pathOf(petition), { 'accept-language': 'de' });
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'application/pdf');
    assert.equal(
      headers.get('content-disposition'),
      `inline; filename="${petition.slug as string}.pdf"`,
    );
    assert.match(headers.get('cache-control')!, /^public, max-age=300/);
    assert.equal(headers.get('x-robots-tag'), 'noindex');
    assert.match(pdf.toString('latin1'), /\/Lang \(en\)/);
    const text = linesOfPdf(pdf).join('\n');
    for (const part of [
      'Keep the night bus',
      'Started by Ada Lovelace',
      'To: Grace Hopper (Mayor)',
      'Signatures are collected until January 31, 2099.',
      'It was cut last winter.\nBring it back, before',
      '(version 1). The whole text:',
      'Scan to read',
      'First and last name',
      'Town',
      'Signature',
      '\n1\n2\n3\n',
      'Ada Lovelace collects these details and is responsible for them.',
      'Page 1 of 1',
    ]) {
      assert.ok(text.includes(part), `${part} in ${text}`);
    }
    assert.equal(missingGlyphsOf(pdf), 0);
  });

  it('has up to five pages, each of which names the petition', async () => {
    const petition = await createPublished(creator, { title: 'Keep the library open' });
    for (const pages of [1, 2, 5]) {
      const { pdf } = await read(`${pathOf(petition)}?pages=${pages}`);
      assert.equal(pagesOfPdf(pdf), pages);
      const lines = linesOfPdf(pdf);
      assert.equal(lines.filter((line) => line === 'Keep the library open').length, pages);
      assert.ok(lines.includes(`Page ${pages} of ${pages}`));
      const numbers = lines.filter((line) => /^\d+$/.test(line)).map(Number);
      assert.deepEqual(
        numbers,
        Array.from(numbers, (_, index) => index + 1),
      );
    }
    for (const pages of ['0', '6', '10', '-1', '1.5', 'x', '']) {
      assert.equal((await read(`${pathOf(petition)}?pages=${pages}`)).status, 422, pages);
    }
  });

  it('is there for those who may read the petition, while it can be signed', async () => {
    const open = await createPublished(creator);
    const hidden = await createPublished(creator, { visibility: 'private' });
    const draft = await createDraft(creator);
    const browser = await logInBrowser(service, creator);
    const own = async (path: string) => read(path, { cookie: browser.cookies });
    assert.equal((await read('/p/unknown/sheet.pdf')).status, 404);
    assert.equal((await read(pathOf(hidden))).status, 403);
    assert.equal((await read(`${pathOf(hidden)}?access_code=wrong`)).status, 403);
    const withCode = await read(`${pathOf(hidden)}?access_code=${hidden.access_code as string}`);
    assert.equal(withCode.status, 200);
    assert.match(withCode.headers.get('cache-control')!, /private, no-store/);
    // The code is for whoever was given it.
    assert.ok(!linesOfPdf(withCode.pdf).join('').includes(hidden.access_code));
    assert.equal((await read(pathOf(draft))).status, 404);
    const preview = await own(pathOf(draft));
    assert.equal(preview.status, 200);
    assert.match(preview.headers.get('cache-control')!, /private, no-store/);
    assert.ok(linesOfPdf(preview.pdf).join(' ').includes('this petition is not published'));
    assert.ok(!linesOfPdf(withCode.pdf).join(' ').includes('not published'));
    const { status } = await creator.api.post(`/v1/petitions/${open.id}/close`);
    assert.equal(status, 200);
    assert.equal((await read(pathOf(open))).status, 404);
    assert.equal((await own(pathOf(open))).status, 404);
  });

  it('is linked where the petition is shared, while it can be signed', async () => {
    const [open, closed] = [await createPublished(creator), await createPublished(creator)];
    await creator.api.post(`/v1/petitions/${closed.id}/close`);
    const browser = await logInBrowser(service, creator);
    for (const petition of [open, closed]) {
      const link = `href="${pathOf(petition)}" rel="nofollow"`;
      const page = await service.api.get(`/p/${petition.slug}`);
      const dashboard = await browser.open(`/dashboard/petitions/${petition.id as string}`);
      assert.equal(page.body.includes(link), petition === open);
      assert.equal(dashboard.body.includes(link), petition === open);
    }
  });

  it('follows the petition', async () => {
    const petition = await createPublished(creator, { title: 'Light the path' });
    const first = await read(pathOf(petition));
    const again = await read(pathOf(petition), {
      'if-none-match': first.headers.get('etag')!,
    });
    assert.equal(again.status, 304);
    await creator.api.patch(`/v1/petitions/${petition.id}`, { title: 'Light the river path' });
    const { headers, pdf } = await read(pathOf(petition));
    assert.notEqual(headers.get('etag'), first.headers.get('etag'));
    const text = linesOfPdf(pdf).join(' ');
    assert.match(text, /Light the river path.*version 2/);
  });

  it('is drawn a limited number of times for a network', async () => {
    await using strict = await startService({ env: { RATE_LIMITS: 'on' } });
    const person = await signUp(strict);
    const petition = await createPublished(person);
    const open = async () =>
      (await fetch(`${strict.origin}/p/${petition.slug as string}/sheet.pdf`)).status;
    for (let n = 1; n < sheetQuota.points; n += 1) {
      await strict.ctx.limits.take(sheetQuota, '127.0.0.1');
    }
    assert.equal(await open(), 200);
    // It is drawn already.
    assert.equal(await open(), 200);
    await person.api.patch(`/v1/petitions/${petition.id}`, { title: 'Light the river path' });
    assert.equal(await open(), 429);
  });

  describe('in every language', () => {
    for (const language of languages) {
      it(`is whole in ${language}`, { skip: noPoppler }, async () => {
        const title = {
          en: 'Keep the night bus',
          de: 'Der Nachtbus soll weiterfahren',
          fr: 'Gardons le bus de nuit à Besançon',
          es: 'Que siga el autobús nocturno, señor alcalde',
          ar: 'أبقوا الحافلة الليلية بين القرى والمحطة',
        }[language as 'en'];
        const petition = await createPublished(creator, { title, language });
        const { pdf } = await read(`${pathOf(petition)}?pages=2`);
        assert.equal(missingGlyphsOf(pdf), 0);
        assert.match(pdf.toString('latin1'), new RegExp(`/Lang \\(${language}\\)`));
        const text = readByPoppler(pdf);
        assert.ok(text.includes(title), text);
        assert.equal(readCode(pdf), pageUrl(service.ctx.config, petition.slug as string));
      });
    }

    it('is in the language of the site for petitions in others', async () => {
      const petition = await createPublished(creator, { title: '请保留夜班公交', language: 'zh' });
      const { pdf } = await read(pathOf(petition));
      const lines = linesOfPdf(pdf);
      assert.ok(lines.includes('请保留夜班公交'));
      assert.ok(lines.includes('Signature'));
    });
  });

  describe('with any text', () => {
    const content: SheetContent = {
      language: 'en',
      direction: 'ltr',
      documentTitle: 'Signature sheet',
      heading: 'Site · Signature sheet',
      warning: null,
      title: 'Title',
      by: ['Started by Ada'],
      text: 'Text. '.repeat(300),
      source: 'The whole text: https://example.org',
      url: 'https://example.org/p/title',
      scan: 'Scan',
      columns: {
        number: 'No.',
        name: 'Name',
        town: 'Town',
        contact: 'Email',
        signature: 'Signature',
      },
      privacy: 'Ada collects this. '.repeat(30),
      pages: ['Page 1 of 2', 'Page 2 of 2'],
      lineNumbers: Array.from({ length: 200 }, (_, index) => String(index + 1)),
    };

    it('has two pages with lines, however long the texts are', async () => {
      const texts = [
        'W'.repeat(200),
        '字'.repeat(200),
        'ش'.repeat(200),
        '😀'.repeat(200),
        `${'word '.repeat(39)}end`,
      ];
      for (const title of texts) {
        const pdf = await sheetPdf({
          ...content,
          title,
          warning: 'Draft. '.repeat(20),
          by: [title, title, title],
          text: title.repeat(10),
          source: title,
          scan: title,
          heading: title,
        });
        assert.equal(pagesOfPdf(pdf), 2);
        assert.equal(missingGlyphsOf(pdf), 0);
        const numbers = linesOfPdf(pdf).filter((line) => /^\d+$/.test(line));
        assert.ok(numbers.length >= 16, `${numbers.length} lines for ${title}`);
      }
    });

    it('shows hostile texts as they are', async () => {
      for (let start = 0; start < hostileTexts.length; start += 40) {
        const some = hostileTexts.slice(start, start + 40);
        const pdf = await sheetPdf({
          ...content,
          title: some[0]!.slice(0, 200),
          documentTitle: some[1]!,
          by: some.slice(2, 6),
          text: some.join(' ').slice(0, 2000),
          pages: content.pages.slice(0, 1),
        });
        assert.equal(pagesOfPdf(pdf), 1);
        assert.equal(missingGlyphsOf(pdf), 0);
        // Nothing of a text becomes a part of the document: actions, links and files.
        assert.doesNotMatch(
          pdf.toString('latin1'),
          /\/(?:JavaScript|JS|OpenAction|AA|URI|Launch|EmbeddedFile|Annots) ?[^ ]*\n/,
        );
      }
    });
  });
});
