import en from '../../locales/en/mail.json' with { type: 'json' };
import { html, Html, type Content } from './html.ts';
import { lineWithoutLinks } from './mail-addresses.ts';
import { catalog, plainText } from './pages/catalog.ts';
import { themeOf, type Theme } from './site/theme.ts';
import { directionOf, type Language } from './pages/language.ts';
import { languageAttributes, markWrittenTexts, type WrittenText } from './pages/text-language.ts';

/** Texts that frame a mail. */
export const mailTexts = catalog('mail', en);

/** A picture above the text, on a server of ours. */
export interface MailPicture {
  url: string;
  alt: string;
}

/** A text in Markdown, as both parts of a mail have it. */
export interface FormattedPart {
  /** As it stands in the text of the mail, between empty lines. */
  text: string;
  html: Html;
}

export interface LaidOutMail {
  /** What it is, which decides the words of the button. */
  kind: string;
  language: Language;
  subject: string;
  /** Without the footer. */
  text: string;
  picture?: MailPicture | undefined;
  /** Parts of the text that have formatting. */
  formatted?: readonly FormattedPart[] | undefined;
  /** Texts of people in the text. */
  written?: readonly WrittenText[] | undefined;
}

export interface MailSite {
  name: string;
  baseUrl: string;
  /** Hexadecimal. */
  accent: string;
}

/**
 * Returns the HTML of a mail from its text, so that both say the same. The first address of ours that stands alone on a
 * line becomes a button, others become links. Nothing else does: people may have written it.
 */
export function mailHtml(
  mail: LaidOutMail,
  footer: string,
  { name, baseUrl, accent }: MailSite,
): string {
  const { language, subject, text, picture } = mail;
  const [main = '', small] = text.trim().split(/\n+--\n/);
  const theme = themeOf(accent);
  const marks = {
    links: new LinkMaker(baseUrl, { label: buttonText(mail), theme }),
    written: mail.written ?? [],
    language,
  };
  const blocks = blocksOf(main, mail.formatted);
  return html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
<style>${new Html(stylesOf(theme))}</style>
</head>
<body>
<div class="mail">
<p class="site"><a href="${baseUrl}/">${name}</a></p>
<div class="main">
${
  picture &&
  html`<img src="${picture.url}" alt="${picture.alt}" width="536" style="width:100%;max-width:536px;height:auto;border-radius:8px">\n`
}${blocks.map((block) => (typeof block === 'string' ? blockHtml(block, marks) : block))}</div>
<div class="foot">
${small !== undefined && html`<p>${lines(small.split('\n'), marks)}</p>\n`}<p>${footer}</p>
</div>
</div>
</body>
</html>
`.text;
}

/** The paragraphs of a text, with formatting where there is one. */
function blocksOf(text: string, formatted: readonly FormattedPart[] = []): (string | Html)[] {
  const [first, ...others] = formatted;
  const at = first === undefined ? -1 : text.indexOf(first.text);
  if (!first || at < 0) return text.split(/\n{2,}/).filter((block) => block.trim() !== '');
  return [
    ...blocksOf(text.slice(0, at)),
    html`<div class="written" dir="auto">${first.html}</div>\n`,
    ...blocksOf(text.slice(at + first.text.length), others),
  ];
}

/** The line of a mail's text that is set as a title: somebody's words, without links. */
export const titleLine = (title: string): string => titleIndent + lineWithoutLinks(title);

/** The title of such a line, with its language. */
export const writtenTitle = (title: string, language: string | null): WrittenText => ({
  text: lineWithoutLinks(title),
  language,
});

const titleIndent = '  ';

/** Makes links of addresses of ours: the first one that stands alone is the button. */
class LinkMaker {
  readonly #baseUrl: string;
  readonly #button: { label: string; theme: Theme };
  #hasButton = false;

  constructor(baseUrl: string, button: { label: string; theme: Theme }) {
    this.#baseUrl = baseUrl;
    this.#button = button;
  }

  isOwn(line: string): boolean {
    return line.startsWith(`${this.#baseUrl}/`) && !/\s/.test(line);
  }

  /** A button, with its address below: some programs show no buttons. */
  button(url: string): Html | undefined {
    if (this.#hasButton) return undefined;
    this.#hasButton = true;
    const { label, theme } = this.#button;
    const colors = `background:${theme.light.act};color:${theme.light.onAct}`;
    return html`<p class="act"><a class="button" href="${url}" style="${colors}">${label}</a></p>
<p class="address">${this.link(url)}</p>\n`;
  }

  link(url: string): Html {
    return html`<a href="${url}" dir="ltr">${url}</a>`;
  }
}

/** What the lines of a mail have in them. */
interface Marks {
  links: LinkMaker;
  written: readonly WrittenText[];
  /** Of the mail. */
  language: Language;
}

function blockHtml(block: string, marks: Marks): Html {
  const { links } = marks;
  const all = block.split('\n');
  if (all.every((line) => line.startsWith('>'))) {
    const quoted = all.map((line) => line.replace(/^> ?/, ''));
    return html`<blockquote${attributesOf(quoted.join('\n'), marks)}>${lines(quoted)}</blockquote>\n`;
  }
  if (block.startsWith(titleIndent)) {
    const title = block.trim();
    return html`<p class="title"${attributesOf(title, marks)}>${title}</p>\n`;
  }
  const last = all.at(-1)!;
  if (!links.isOwn(last)) return html`<p>${lines(all, marks)}</p>\n`;
  const before = all.slice(0, -1);
  return html`${before.length > 0 && html`<p>${lines(before, marks)}</p>\n`}${
    links.button(last) ?? html`<p class="address">${links.link(last)}</p>\n`
  }`;
}

/** Direction and language of a text of people. */
const attributesOf = (text: string, { written, language }: Marks): Html =>
  languageAttributes(written.find((one) => one.text === text)?.language ?? null, language);

const lines = (all: string[], marks?: Marks): Content[] =>
  all.map((line, index) => [index > 0 && new Html('<br>\n'), marks ? lineHtml(line, marks) : line]);

const lineHtml = (line: string, { links, written, language }: Marks): Content =>
  links.isOwn(line) ? links.link(line) : markWrittenTexts(line, written, language);

/** The words of the button: what the link of this kind of mail leads to. */
function buttonText({ kind, language }: LaidOutMail): string {
  const name = `button_${kind.replaceAll('-', '_')}`;
  const isText = (key: string): key is keyof typeof en => key in en;
  return plainText(mailTexts, language, isText(name) ? name : 'button');
}

/** As the tokens of pages. Programs that drop styles show plain paragraphs. */
const stylesOf = ({ light, dark }: Theme) => `
:root { color-scheme: light dark; }
body { margin: 0; padding: 0; background: #fbfaf7; color: #1c211f;
  font: 16px/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans Arabic', sans-serif; }
.mail { max-width: 600px; margin: 0 auto; padding: 24px 16px; overflow-wrap: anywhere; }
.main { background: #ffffff; border: 1px solid #dcd9d0; border-radius: 12px; padding: 24px 32px; }
.site { margin: 0 0 16px; font-weight: 700; }
.site a { color: ${light.act}; text-decoration: none; }
p, blockquote, .written { margin: 0 0 16px; }
a { color: ${light.act}; }
.title { font-size: 20px; line-height: 1.35; font-weight: 700; }
blockquote { border-inline-start: 3px solid #dcd9d0; padding-inline-start: 16px; color: #57605c; }
.act { margin: 24px 0 8px; }
.button { display: inline-block; padding: 12px 24px; border-radius: 8px; font-weight: 700; text-decoration: none; }
.address, .foot { font-size: 13px; color: #57605c; }
.address a { color: #57605c; }
.foot { padding: 16px 32px; }
.written img { max-width: 100%; height: auto; }
@media (max-width: 480px) { .main, .foot { padding-inline: 16px; } }
@media (prefers-color-scheme: dark) {
  body { background: #131716; color: #ecf0ee; }
  .main { background: #1b201e; border-color: #343c39; }
  .site a, a { color: ${dark.act}; }
  blockquote, .address, .address a, .foot { color: #a8b3ae; border-color: #343c39; }
  .button { background: ${dark.act} !important; color: ${dark.onAct} !important; }
}
`;
