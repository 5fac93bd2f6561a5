const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it may stand in HTML, in content and in quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character]!);

/** HTML in which every value is escaped; `html` makes it. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

/** What may stand in a template. Lists are joined; what is absent leaves nothing. */
export type Content = Html | string | number | false | null | undefined | readonly Content[];

/** HTML from a template: whatever is put into it is escaped, unless it is HTML itself. */
export const html = (strings: TemplateStringsArray, ...values: Content[]): Html =>
  new Html(String.raw({ raw: strings }, ...values.map(render)));

/** An attribute that is there only where it has a value; `true` gives it none. */
export function attribute(name: string, value: string | number | boolean | null | undefined): Html {
  if (value === false || value === null || value === undefined) return nothing;
  return value === true ? new Html(` ${name}`) : html` ${new Html(name)}="${value}"`;
}

const nothing = new Html('');

function render(content: Content): string {
  if (content instanceof Html) return content.text;
  if (content === false || content === null || content === undefined) return '';
  if (typeof content === 'object') return content.map(render).join('');
  return escapeHtml(String(content));
}
