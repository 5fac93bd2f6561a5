import type { RawAnswer } from './http/route.ts';

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

const style = `:root{color-scheme:light dark}
body{font:1.05rem/1.6 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem}`;

/** A small page of text. `body` is HTML, with every value in it escaped. */
export function page(
  header: (name: string, value: string) => void,
  { title, body }: { title: string; body: string },
): RawAnswer {
  header(
    'content-security-policy',
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  );
  header('referrer-policy', 'strict-origin-when-cross-origin');
  return {
    mediaType: 'text/html; charset=utf-8',
    body: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${style}</style>
</head><body>${body}</body></html>`,
  };
}
