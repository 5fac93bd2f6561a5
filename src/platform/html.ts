const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML content and quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character]!);

/** Safe HTML, created by the `html` tag. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

/** A value in a template. Lists are concatenated; false, null and undefined are empty. */
export type Content = Html | string | number | false | null | undefined | readonly Content[];

/** Creates HTML from a template. Escapes all values but `Html`. */
export const html = (strings: TemplateStringsArray, ...values: Content[]): Html =>
  new Html(String.raw({ raw: strings }, ...values.map(render)));

/** An attribute, or nothing for false, null and undefined. `true` makes an attribute without a value. */
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
