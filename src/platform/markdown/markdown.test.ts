import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plainStartOf, plainTextOf, renderMarkdown } from './markdown.ts';

const baseUrl = 'https://petitions.example';
const rendered = (source: string) => renderMarkdown(source, { baseUrl }).text.trim();
const link = (href: string, text: string) =>
  `<a href="${href}" rel="nofollow ugc noopener">${text}</a>`;

describe('rendered Markdown', () => {
  it('has paragraphs, emphasis, lists, quotes, headings and rules', () => {
    for (const [source, expected] of [
      ['One\nline\n\nTwo', '<p>One<br>\nline</p>\n<p>Two</p>'],
      ['**bold** _and_ ***both***', /<strong>bold<\/strong> <em>and<\/em> <em><strong>both</],
      ['- a\n  - b\n- c', '<ul><li>a<ul><li>b</li>\n</ul>\n</li>\n<li>c</li>\n</ul>'],
      ['3. x\n4. y', '<ol start="3"><li>x</li>\n<li>y</li>\n</ol>'],
      ['1. x', '<ol><li>x</li>\n</ol>'],
      ['> said\nthey', '<blockquote><p>said<br>\nthey</p>\n</blockquote>'],
      ['a\n\n---\n\nb', '<p>a</p>\n<hr>\n<p>b</p>'],
      ['# 1\n## 2\n### 3\n###### 6', '<h2>1</h2>\n<h3>2</h3>\n<h4>3</h4>\n<h4>6</h4>'],
      [String.raw`\*kept\* \<b>`, '<p>*kept* &lt;b&gt;</p>'],
    ] as const) {
      if (typeof expected === 'string') assert.equal(rendered(source), expected);
      else assert.match(rendered(source), expected);
    }
  });

  it('keeps other marks as the text that was typed', () => {
    for (const text of [
      '`code` ~~gone~~',
      '```js\nlet a = 1\n```',
      '|a|b|\n|-|-|\n|1|2|',
      '<b onclick="x()">bold</b> <!-- c --> <br/>',
      '<script>alert(1)</script>',
      '&lt;b&gt; &copy; &#0;',
      '[x](javascript:alert(1)) <data:text/html,x>',
      '[x](java&#115;cript:alert(1)) [y](vbscript:x "title")',
      '[x](/petitions) [y](//other.example) [z](?q)',
      '[bank](https://bank.example:1@other.example/)'.replace('https:', 'ftp:'),
      'file.pdf example.org 192.0.2.1 www.example ://x',
    ]) {
      const escaped = rendered(text)
        .replaceAll('<br>\n', '\n')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&#39;', "'")
        .replaceAll('&amp;', '&');
      assert.equal(escaped, `<p>${text}</p>`);
    }
    assert.equal(rendered('    indented\n\n\ttoo'), '<p>indented</p>\n<p>too</p>');
    assert.equal(rendered('[x]()'), '<p>x</p>');
  });

  it('links to addresses of the web and of mail', () => {
    for (const [source, href, text] of [
      [
        '[the plan](https://a.example/x?a=1&b=2 "title")',
        'https://a.example/x?a=1&amp;b=2',
        'the plan',
      ],
      ['[write](mailto:a@b.example)', 'mailto:a@b.example', 'write'],
      ['[x](HTTP://A.example/%22><b>)', 'http://a.example/%22%3E%3Cb%3E', 'x'],
      ['[x][1]\n\n[1]: https://a.example/', 'https://a.example/', 'x'],
      ['https://a.example/(b)', 'https://a.example/(b)', 'https://a.example/(b)'],
      ['www.a.example/x', 'https://www.a.example/x', 'www.a.example/x'],
      ['<https://a.example/>', 'https://a.example/', 'https://a.example/'],
      ['a.b@c.example.org', 'mailto:a.b@c.example.org', 'a.b@c.example.org'],
      ['https://münchen.example/', 'https://xn--mnchen-3ya.example/', 'https://münchen.example/'],
    ] as const) {
      assert.equal(rendered(source), `<p>${link(href, text)}</p>`);
    }
    assert.equal(
      rendered('See www.a.org.'),
      `<p>See ${link('https://www.a.org/', 'www.a.org')}.</p>`,
    );
    const deceiving = rendered('[x](https://bank.example@other.example/)');
    assert.ok(!deceiving.includes('href="https://bank.example@'), deceiving);
  });

  it('shows pictures of this service only', () => {
    const shown = (alt: string) =>
      `<p><img loading="lazy" src="${baseUrl}/media/ab-640.webp" alt="${alt}" decoding="async"></p>`;
    for (const address of ['/media/ab-640.webp', `${baseUrl}/media/ab-640.webp "title"`]) {
      assert.equal(rendered(`![A "map"](${address})`), shown('A &quot;map&quot;'));
    }
    const token = '0123456789abcdef'.repeat(2);
    const at = `${baseUrl}/media/${token}`;
    assert.equal(
      rendered(`![A map](/media/${token}-640.webp#640x480)`),
      `<p><img width="640" height="480" loading="lazy" sizes="auto, (min-width: 48rem) 44rem, 100vw" srcset="${at}-320.webp 320w, ${at}-640.webp 640w" src="${at}-640.webp" alt="A map" decoding="async"></p>`,
    );
    for (const address of [
      `/media/${token}-640.webp#0x480`,
      `/media/${token}-640.webp#640x480"onload=x`,
      'https://other.example/media/ab-640.webp',
      `${baseUrl}.other.example/media/a.webp`,
      `${baseUrl}/media/../v1/users/me`,
      '/media/../x.webp',
      '/media/a.svg',
      '//other.example/media/a.webp',
      'data:image/webp;base64,AAAA',
      'javascript:alert(1)',
    ]) {
      assert.equal(rendered(`![A map](${address})`), '<p>A map</p>');
    }
    assert.match(
      rendered('[![map](/media/a.webp)](https://a.example/)'),
      /^<p><a href="https:\/\/a\.example\/"[^>]*><img [^>]*><\/a><\/p>$/,
    );
  });

  it('keeps text below the limit of nesting', () => {
    const quotes = rendered(`${'>'.repeat(40)} deep\n\nafter`);
    assert.equal(quotes.split('<blockquote>').length - 1, 12);
    assert.match(quotes, /<p>(?:&gt;)+ deep<\/p>/);
    const lines = Array.from({ length: 40 }, (_, n) => `${'  '.repeat(n)}- item ${n}.`);
    const lists = rendered(lines.join('\n'));
    assert.equal(lists.split('<ul>').length - 1, 6);
    for (let n = 0; n < lines.length; n += 1) assert.ok(lists.includes(`item ${n}.`));
    const emphasis = rendered(`${'**a '.repeat(500)}${'a** '.repeat(500)}`);
    assert.ok(emphasis.split('<strong>').length <= 41);
    assert.equal(emphasis.split('<strong>').length, emphasis.split('</strong>').length);
    assert.equal(emphasis.split('a').length - 1, 1000);
  });

  it('takes linear time for hostile texts', () => {
    // Each takes 20 to 300 ms, eight times that on a busy machine; in quadratic time, many seconds.
    const limitMs = 5000;
    for (const part of hostileParts) {
      const source = part.repeat(Math.ceil(50_000 / part.length)).slice(0, 50_000);
      const start = process.cpuUsage();
      renderMarkdown(source, { baseUrl });
      plainTextOf(source);
      const { user, system } = process.cpuUsage(start);
      assert.ok((user + system) / 1000 < limitMs, `${part.slice(0, 40)}: ${user / 1000} ms`);
    }
  });

  it('is kept for each base URL', () => {
    const source = '![x](/media/a.webp)';
    assert.equal(
      renderMarkdown(source, { baseUrl: 'https://a.example' }),
      renderMarkdown(source, { baseUrl: 'https://a.example' }),
    );
    assert.match(renderMarkdown(source, { baseUrl: 'https://b.example' }).text, /"https:\/\/b\./);
  });
});

const hostileParts = [
  ['[', ']', '[a](', '[a](b', '[a](<b', '[](', '[a][', '[[a]', '[*](', '[a]("', '[a](b "'],
  ['[a]: b\n', '[a]: <b\n', '[a]:\n', '[a]: b "c\n', '[a]: b (\n', '[a\n'],
  ['![', '![a](', '![![', `${'!['.repeat(500)}${'](a)'.repeat(500)}`],
  ['*', '**', '_', '_a_', '*a **a ', '**a *a', 'a**b', '**a', 'a ** ', '*a_ '],
  ['`', '`a', '~~', '<', '<a', '<http://', '<a@b.c>', '\\', '\\[', '&', '&amp;', '"', '('],
  ['>', '> ', '> > a\n', '>\n', '> a\nb\n', '> - ', '> 1. a\n'],
  ['- ', '- a\n', '- a\n\n', '- - a\n', '-\n', ' * a\n', '1. ', '1. a\n', '1) '],
  ['#', '# a\n', 'a\n===\n', '---\n', '* * *\n', '\n', '  \n', 'a\n', '\t', '\\\n'],
  ['http://', 'http://a.example ', 'http://a.example/', 'http://a?(', '(http://a', 'http://['],
  ['www.', 'www.a.aa', 'www.a.aa ', `www.${'a.'.repeat(50)}`, 'a.', 'a-', '://', 'a://'],
  ['a@', '@', 'a@b.example', 'a@b.example ', 'mailto:', 'xn--', '\u0000', '😀'],
].flat();

describe('plain text of Markdown', () => {
  it('has no marks', () => {
    for (const [source, expected] of [
      ['## Why\n\nThe **path** is\n_dark_.', 'Why\n\nThe path is\ndark.'],
      ['> Quoted\n\n---\n\nAfter', 'Quoted\n\nAfter'],
      ['Do:\n\n* one\n* two\n  more\n\n3. three', 'Do:\n\n- one\n- two\n  more\n\n3. three'],
      ['- a\n  1. b\n  2. c\n- d\n\n  e', '- a\n  1. b\n  2. c\n- d\n\n  e'],
      ['See [the plan](https://a.example/x "t"), ![map](m.png).', 'See the plan, map.'],
      ['<https://a.example> https://b.example', 'https://a.example https://b.example'],
      [String.raw`\*kept\* ${'`code`'} <b>`, '*kept* `code` <b>'],
      ['2 * 3 * 4, snake_case_name, 5 > 3, C#', '2 * 3 * 4, snake_case_name, 5 > 3, C#'],
      ['***both*** and **open', 'both and **open'],
      ['', ''],
    ] as const) {
      assert.equal(plainTextOf(source), expected);
    }
  });

  it('shows addresses of links where it is asked to', () => {
    assert.equal(
      plainTextOf('[The plan](https://a.example/x), https://b.example/ [x](javascript:y)', {
        hasAddresses: true,
      }),
      'The plan (https://a.example/x), https://b.example/ [x](javascript:y)',
    );
  });

  it('starts a preview', () => {
    const source = `[${'word '.repeat(10)}](https://a.example/x) and **more**`;
    assert.equal(plainStartOf(source, 60), `${'word '.repeat(10)} and more`);
    assert.equal(plainStartOf(source, 9), 'word word');
    assert.ok(plainStartOf('😀'.repeat(9), 3).isWellFormed());
  });

  it('is well-formed where a text was cut inside a character', () => {
    assert.ok(plainTextOf('😀'.slice(0, 1)).isWellFormed());
  });
});
