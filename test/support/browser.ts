import assert from 'node:assert/strict';
import type { Answer, Client } from './client.ts';

export interface Form {
  id: string;
  method: string;
  action: string;
  /** Whether it sends a file. */
  isMultipart: boolean;
  /** Values of its fields, without buttons. */
  fields: Record<string, string>;
  /** Values of those that stand for a choice of any number, by name. */
  choices: Record<string, string[]>;
  /** Names of fields in which text is typed, and those of them with several lines. */
  typed: string[];
  long: string[];
  buttons: string[];
  /** What pressing the first button sends, if it has a name. */
  pressed: Record<string, string>;
}

/** A browser without JavaScript: keeps cookies, submits forms and follows redirects. */
export class Browser {
  readonly #api: Client;
  readonly #cookies = new Map<string, string>();
  /** Headers of every form submission. */
  readonly #headers: Record<string, string>;

  constructor(api: Client, headers: Record<string, string> = { origin: 'http://petitions.test' }) {
    this.#api = api;
    this.#headers = headers;
  }

  /** The Cookie header. */
  get cookies(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /**
   * Opens a path of the service, and follows redirects within the service. The page reports what a form has just done if
   * that is given, such as `done=signed`.
   */
  open(path: string, outcome?: string): Promise<Answer> {
    const [pathname] = path.split('?', 1);
    if (outcome) this.#cookies.set('outcome', encodeURIComponent(`${pathname}?${outcome}`));
    return this.#send('GET', path);
  }

  /**
   * Submits a form of the page with these values: the only form in main, or the one with the id or action `to`. A form
   * with a file sends an empty one where none is given, as browsers do.
   */
  submit(page: Answer, values: Record<string, Value>, to?: string): Promise<Answer> {
    const { action, fields, choices, isMultipart } = formOf(page, to);
    const all = { ...fields, ...choices, ...values };
    return this.#send('POST', action, isMultipart ? multipart(all) : urlEncoded(all));
  }

  /** Sends fields to a path without a form. */
  send(action: string, fields: Record<string, string>): Promise<Answer> {
    return this.#send('POST', action, urlEncoded(fields));
  }

  async #send(method: string, path: string, form?: string | FormData): Promise<Answer> {
    const answer = await this.#api.send(method, path, form, {
      headers: {
        ...(this.#cookies.size > 0 && { cookie: this.cookies }),
        ...(typeof form === 'string' && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...(form !== undefined && this.#headers),
      },
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      if (/;\s*max-age=0(?:;|$)/i.test(cookie)) this.#cookies.delete(name!);
      else this.#cookies.set(name!, value!);
    }
    const location = answer.headers.get('location');
    if (!location?.startsWith('/')) return answer;
    return answer.status === 307 ? this.#send(method, location, form) : this.#send('GET', location);
  }
}

/** Of a field that is sent, perhaps several times. */
type Value = string | File | string[];

const entriesOf = (fields: Record<string, Value>): [string, string | File][] =>
  Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string | File] => [name, one]),
  );

const urlEncoded = (fields: Record<string, Value>): string =>
  new URLSearchParams(entriesOf(fields) as [string, string][]).toString();

function multipart(fields: Record<string, Value>): FormData {
  const form = new FormData();
  for (const [name, value] of entriesOf({ file: new File([], ''), ...fields })) {
    form.append(name, value);
  }
  return form;
}

/** Opens a browser and logs the person in. */
export async function logInBrowser(
  { api }: { api: Client },
  { email, password }: { email: string; password: string },
): Promise<Browser> {
  const browser = new Browser(api);
  await browser.submit(await browser.open('/login'), { email, password }, '/login');
  return browser;
}

/** Finds a POST form of the page: the only one in main, or the one with the id or action `to`. */
export function formOf(page: Answer, to?: string): Form {
  const html = String(page.body);
  const [main] = /<main.*<\/main>/s.exec(html) ?? [];
  const forms = formsIn((to === undefined && main) || html).filter(
    ({ method, id, action }) =>
      method === 'post' && (to === undefined || id === to || action === to),
  );
  assert.equal(forms.length, 1, `there is one such form: ${html}`);
  return forms[0]!;
}

/** All forms of a page. */
export const formsOf = (page: Answer): Form[] => formsIn(String(page.body));

const formsIn = (html: string): Form[] =>
  [...html.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)].map(([, attributes, inside]) => ({
    id: attribute(attributes!, 'id'),
    method: attribute(attributes!, 'method'),
    action: unescape(attribute(attributes!, 'action')),
    isMultipart: attributes!.includes('multipart/form-data'),
    fields: Object.fromEntries([...fieldsIn(inside!), ...textsIn(inside!), ...choicesIn(inside!)]),
    choices: choicesOf(inside!),
    typed: [...lineNames(inside!), ...areaNames(inside!)],
    long: areaNames(inside!),
    buttons: [...inside!.matchAll(/<button([^>]*)>/g)].map(([, text]) => attribute(text!, 'value')),
    pressed: pressedIn(inside!),
  }));

const fieldsIn = (inside: string) =>
  [...inside.matchAll(/<input([^>]*)>/g)]
    .map(([, text]) => text!)
    .filter((text) => !/type="(?:checkbox|radio|file)"/.test(text) || / checked/.test(text))
    .map((text) => [attribute(text, 'name'), unescape(attribute(text, 'value'))]);

/** Checked boxes whose name several boxes have. */
function choicesOf(inside: string): Record<string, string[]> {
  const boxes = [...inside.matchAll(/<input([^>]*type="checkbox"[^>]*)>/g)].map(
    ([, text]) => text!,
  );
  const byName = Map.groupBy(boxes, (text) => attribute(text, 'name'));
  return Object.fromEntries(
    [...byName]
      .filter(([, all]) => all.length > 1)
      .map(([name, all]) => [
        name,
        all.filter((text) => / checked/.test(text)).map((text) => attribute(text, 'value')),
      ]),
  );
}

function pressedIn(inside: string): Record<string, string> {
  const [, button = ''] = /<button([^>]*)>/.exec(inside) ?? [];
  const name = attribute(button, 'name');
  return name ? { [name]: attribute(button, 'value') } : {};
}

const lineNames = (inside: string): string[] =>
  [...inside.matchAll(/<input([^>]*)>/g)]
    .map(([, text]) => text!)
    .filter((text) => !/type="(?!text")/.test(text))
    .map((text) => attribute(text, 'name'));

const areaNames = (inside: string): string[] =>
  [...inside.matchAll(/<textarea([^>]*)>/g)].map(([, text]) => attribute(text!, 'name'));

const textsIn = (inside: string) =>
  [...inside.matchAll(/<textarea([^>]*)>\n?(.*?)<\/textarea>/gs)].map(([, text, value]) => [
    attribute(text!, 'name'),
    unescape(value!),
  ]);

const choicesIn = (inside: string) =>
  [...inside.matchAll(/<select([^>]*)>(.*?)<\/select>/gs)].map(([, text, options]) => {
    const all = [...options!.matchAll(/<option([^>]*)>/g)].map(([, option]) => option!);
    const chosen = all.find((option) => / selected/.test(option)) ?? all[0] ?? '';
    return [attribute(text!, 'name'), attribute(chosen, 'value')];
  });

const unescape = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

const attribute = (text: string, name: string) =>
  new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1] ?? '';
