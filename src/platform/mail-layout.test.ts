import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { html } from './html.ts';
import { mailHtml, type LaidOutMail } from './mail-layout.ts';
import type { Language } from './pages/language.ts';
import { defaultAccent } from './site/profile.ts';

const site = { name: 'Petitions', baseUrl: 'https://petitions.test', accent: defaultAccent };
const mail: LaidOutMail = { kind: 'signing', language: 'en', subject: 'Hello', text: 'A text.' };
const layOut = (more: Partial<LaidOutMail>) => mailHtml({ ...mail, ...more }, 'A footer.', site);

describe('the HTML of a mail', () => {
  it('makes a button of the first address of ours, and links of the others', () => {
    const text =
      'Sign here:\n\nhttps://petitions.test/p/a?x=1&y=2\n\nOr there:\n\nhttps://petitions.test/b';
    const body = layOut({ text });
    const hrefs = [...body.matchAll(/href="([^"]+)"/g)].map(([, href]) => href);
    assert.deepEqual(hrefs, [
      'https://petitions.test/',
      'https://petitions.test/p/a?x=1&amp;y=2',
      'https://petitions.test/p/a?x=1&amp;y=2',
      'https://petitions.test/b',
    ]);
    assert.match(body, /class="button"[^>]*>Confirm my signature<\/a>/);
    assert.equal(body.match(/class="button"/g)!.length, 1);
  });

  it('escapes all else, and makes links of nothing that people wrote', () => {
    const written = [
      '<script>alert(1)</script> & "more"',
      '> https://petitions.test.evil.example/x',
      'https://evil.example/',
      'see https://petitions.test/x',
      'https://petitions.test/x y',
      '//evil.example',
    ];
    const body = layOut({ text: written.join('\n\n') });
    assert.doesNotMatch(body, /<script/);
    assert.match(body, /&lt;script&gt;alert\(1\)&lt;\/script&gt; &amp; &quot;more&quot;/);
    assert.equal(body.match(/<a /g)!.length, 1, 'the name of the site');
    assert.match(body, /<blockquote dir="auto">https:\/\/petitions\.test\.evil/);
  });

  it('has the direction and the words of its language, and formatting in the place of its text', () => {
    const text = 'One.\n\n- two\n\nthree\n\nFour.\n--\nEnd them:\nhttps://petitions.test/stop';
    const formatted = [{ text: '- two\n\nthree', html: html`<ul><li>two</li></ul><p>three</p>` }];
    const body = layOut({ text, formatted, language: 'ar' as Language });
    assert.match(body, /<html lang="ar" dir="rtl">/);
    assert.match(body, /<p>One\.<\/p>\s*<div class="written" dir="auto"><ul>.*<p>Four\.<\/p>/s);
    assert.doesNotMatch(body, /- two/);
    assert.match(
      body,
      /class="foot">\s*<p>End them:<br>\s*<a href="https:\/\/petitions\.test\/stop"/,
    );
    assert.match(body, /<p>A footer\.<\/p>/);
  });
});
