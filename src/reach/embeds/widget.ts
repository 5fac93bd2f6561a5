import type { Context } from '../../platform/context.ts';
import { escapeHtml } from '../../platform/html.ts';
import { inlineSource } from '../../platform/pages/page.ts';
import type { Call, FailureForm, RawAnswer } from '../../platform/http/route.ts';
import { problemKinds } from '../../platform/problems.ts';
import type { PetitionRow } from '../../campaigns/petitions/petitions.ts';
import { pageUrl, providerName } from './embeds.ts';
import type { Theme } from './schema.ts';
import { widgetScript } from './scripts.ts';

const style = `:root{color-scheme:light;--back:#fff;--text:#1b1f1d;--quiet:#55605b;--line:#d5dcd8;--act:#0b6b4d;--on-act:#fff}
[data-theme=dark]{color-scheme:dark;--back:#15191b;--text:#eef2f0;--quiet:#a9b4af;--line:#3a4441;--act:#58cf9d;--on-act:#06170f}
*{box-sizing:border-box}
body{margin:0;padding:1rem 1.125rem;border:1px solid var(--line);border-radius:.5rem;background:var(--back);color:var(--text);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{margin:0;font-size:1.25rem;line-height:1.3}
p{margin:.625rem 0 0}
a{color:inherit}
h1 a{text-decoration:none}
h1 a:hover{text-decoration:underline}
.count strong{font-size:1.5rem;line-height:1.2;font-variant-numeric:tabular-nums}
.quiet,small{color:var(--quiet)}
progress{display:block;width:100%;height:.625rem;margin-top:.5rem;appearance:none;border:0;border-radius:1rem;background:var(--line);overflow:hidden}
progress::-webkit-progress-bar{background:var(--line)}
progress::-webkit-progress-value{background:var(--act)}
progress::-moz-progress-bar{background:var(--act)}
.sign{display:inline-block;padding:.5rem 1.125rem;border-radius:.375rem;background:var(--act);color:var(--on-act);font-weight:600;text-decoration:none}
a:focus-visible{outline:3px solid var(--act);outline-offset:2px}
small{display:block;margin-top:.75rem;font-size:.8125rem}`;

const styleSource = inlineSource(style);

/** What people are told in each state. A victory is told before the rest. */
const closings = {
  closed: 'This petition is closed. Thank you to all who signed.',
  victory: 'Victory! This petition has succeeded.',
};

const number = (value: number) => value.toLocaleString('en');

/** The page of a petition that other pages embed. It says all without JavaScript too. */
export function widgetPage(
  ctx: Context,
  header: Call['header'],
  petition: PetitionRow,
  theme: Theme,
): RawAnswer {
  const { slug, signature_count: count, signature_goal: goal, status } = petition;
  const { baseUrl } = ctx.config;
  const title = escapeHtml(petition.title);
  const link = `href="${escapeHtml(pageUrl(ctx.config, slug))}" target="_blank" rel="noopener"`;
  const when = (state: string) => `data-when="${state}"${state === status ? '' : ' hidden'}`;
  const script = `${baseUrl}/embed/widget.js?v=${widgetScript.version}`;
  allowFraming(
    header,
    `script-src ${new URL(baseUrl).origin}; connect-src ${new URL(baseUrl).origin};`,
  );
  header('cache-control', `public, max-age=${countSeconds}`);
  return {
    mediaType,
    body: `${head(title, theme)}
<body data-slug="${escapeHtml(slug)}" data-events="${escapeHtml(baseUrl)}/v1/petitions/${petition.id}/events">
<main>
<h1 dir="auto"><a ${link}>${title}</a></h1>
<p class="count"><strong data-count>${number(count)}</strong> <span data-noun>${
      count === 1 ? 'signature' : 'signatures'
    }</span>${goal ? ` <span class="quiet">of ${number(goal)}</span>` : ''}</p>
${goal ? `<progress max="${goal}" value="${count}" aria-label="Signatures towards the goal"></progress>` : ''}
<p ${when('active')}><a class="sign" ${link}>Sign this petition</a></p>
<p ${when('closed')}><strong>${closings.closed}</strong></p>
<p ${when('victory')}><strong>${closings.victory}</strong></p>
<small>${providerName} · ${escapeHtml(new URL(baseUrl).host)}</small>
</main>
<script src="${escapeHtml(script)}" defer></script>
</body></html>`,
  };
}

/** How long a count may be shown that was read before, in seconds: without JavaScript it stands still. */
const countSeconds = 5;

const mediaType = 'text/html; charset=utf-8';

const head = (title: string, theme: Theme) => `<!doctype html>
<html lang="en" data-theme="${theme}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<style>${style}</style></head>`;

function allowFraming(header: Call['header'], more = ''): void {
  header(
    'content-security-policy',
    `default-src 'none'; style-src ${styleSource}; ${more} base-uri 'none'; form-action 'none'; frame-ancestors *`,
  );
  header('referrer-policy', 'strict-origin-when-cross-origin');
}

/** Tells failures inside the frame, where a page that refuses framing would stay blank. */
export const asWidget: FailureForm = {
  mediaType,
  statusOf: (kind) => problemKinds[kind].status,
  write(problem, header) {
    allowFraming(header);
    header('cache-control', 'no-store');
    const title = problem.status < 500 ? 'This petition cannot be shown' : 'Something went wrong';
    return `${head(title, 'light')}<body><h1>${title}</h1><p>${escapeHtml(problem.message)}</p></body></html>`;
  },
};
