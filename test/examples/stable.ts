import { defaultName } from '../../src/platform/site/profile.ts';

const maxItems = 2;
const maxText = 300;

const origin = 'https://petitions.example.org';
/** Each site has a name of its own. */
const siteName = 'Example Petitions';
const instant = '2026-03-14T09:26:53.589Z';

/** An answer as an example: short, without secrets, and the same whenever it is made from the same test. */
export function stableExample(answer: unknown): unknown {
  const ids = new Map<string, string>();
  const idFor = (id: string) => {
    if (!ids.has(id)) {
      const number = (ids.size + 1).toString(16).padStart(2, '0');
      ids.set(id, `01a20078-6ea2-7620-8b39-8381a17200${number}`);
    }
    return ids.get(id)!;
  };
  const textOf = (text: string) =>
    shortened(text)
      .replaceAll(defaultName, siteName)
      .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, idFor)
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, instant)
      .replace(/^\d{4}-\d\d-\d\d$/, instant.slice(0, 10))
      .replaceAll(
        /\+[\da-f]{8}\+([A-Za-z\d+/]{40,}=*)/g,
        (_, key: string) => `+00000000+${masked(key)}`,
      )
      .replace(/^petitions\.test\/log/, 'petitions.example.org/log')
      .replaceAll(/http:\/\/(?:petitions\.test|127\.0\.0\.1:\d+)/g, origin)
      .replaceAll(
        /http%3A%2F%2F(?:petitions\.test|127\.0\.0\.1%3A\d+)/g,
        encodeURIComponent(origin),
      )
      .replaceAll(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, 'grace@example.org')
      .replaceAll(/(?=\w*\d)(?!0+\b)[A-Za-z\d]{20,}/g, masked);
  const stable = (value: unknown, name = ''): unknown => {
    if (typeof value === 'string') {
      if (/_hash$|^commitment$/.test(name)) return value.replaceAll(/[\w+/-]/g, '0');
      const isSecret = /token|secret|ticket|cursor|access_code|^key$/.test(name);
      return isSecret && !value.startsWith('http') ? withoutSecret(value) : textOf(value);
    }
    if (Array.isArray(value)) return value.slice(0, maxItems).map((one) => stable(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, stable(member, key)]),
    );
  };
  return stable(answer);
}

/** Keeps the form of a key or token, such as its prefix. */
function withoutSecret(value: string): string {
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(value)) return 'eyJ….eyJ….…';
  const [prefix = ''] = /^[a-z]+_/.exec(value) ?? [];
  return prefix + value.slice(prefix.length).replaceAll(/[\w-]{8,}/g, masked);
}

const masked = (secret: string) => '0'.repeat(secret.length);

const shortened = (text: string) => (text.length > maxText ? `${text.slice(0, maxText)}…` : text);
