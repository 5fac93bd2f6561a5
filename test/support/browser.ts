import assert from 'node:assert/strict';
import type { Answer, Client } from './client.ts';

export interface Form {
  method: string;
  action: string;
  /** Values of its fields; of its buttons, none. */
  fields: Record<string, string>;
  buttons: string[];
}

/** Follows pages as a browser without JavaScript does: keeps cookies, fills in forms, is redirected. */
export class Browser {
  readonly #api: Client;
  readonly #cookies = new Map<string, string>();
  /** What it sends with every form, beyond what is in it. */
  readonly #headers: Record<string, string>;

  constructor(api: Client, headers: Record<string, string> = { origin: 'http://petitions.test' }) {
    this.#api = api;
    this.#headers = headers;
  }

  /** The Cookie header that it sends. */
  get cookies(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Opens an address of the service, and those to which it is sent on within it. */
  open(path: string): Promise<Answer> {
    return this.#send('GET', path);
  }

  /** Sends a form of the page, with these values in it. */
  submit(page: Answer, values: Record<string, string>): Promise<Answer> {
    const { method, action, fields } = formOf(page);
    assert.equal(method, 'post');
    return this.#send('POST', action, new URLSearchParams({ ...fields, ...values }).toString());
  }

  async #send(method: string, path: string, form?: string): Promise<Answer> {
    const answer = await this.#api.send(method, path, form, {
      headers: {
        ...(this.#cookies.size > 0 && { cookie: this.cookies }),
        ...(form !== undefined && {
          'content-type': 'application/x-www-form-urlencoded',
          ...this.#headers,
        }),
      },
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      this.#cookies.set(name!, value!);
    }
    const location = answer.headers.get('location');
    return location?.startsWith('/') ? this.#send('GET', location) : answer;
  }
}

/** The one form of a page. */
export function formOf(page: Answer): Form {
  const html = String(page.body);
  const [, attributes, inside] = /<form([^>]*)>(.*)<\/form>/s.exec(html) ?? [];
  assert.ok(attributes && inside, `there is a form: ${html}`);
  const inputs = [...inside.matchAll(/<input([^>]*)>/g)].map(([, text]) => [
    attribute(text!, 'name'),
    attribute(text!, 'value'),
  ]);
  return {
    method: attribute(attributes, 'method'),
    action: attribute(attributes, 'action'),
    fields: Object.fromEntries(inputs),
    buttons: [...inside.matchAll(/<button([^>]*)>/g)].map(([, text]) => attribute(text!, 'value')),
  };
}

const attribute = (text: string, name: string) =>
  new RegExp(`${name}="([^"]*)"`).exec(text)?.[1] ?? '';
