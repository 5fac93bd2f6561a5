import { showLog, type LogFiles } from '../../reach/transparency-log/transparency-log.ts';
import type { PublicLog } from '../../reach/transparency-log/schema.ts';
import { html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { formatAgo, formatNumber, speak } from '../../platform/pages/catalog.ts';
import { sitePage, type PageHandler, type Site, type View } from '../site/site.ts';
import { publicLogStyles, receiptCheckScript } from './assets.ts';
import { publicLogTexts } from './texts.ts';

/** What the log is, its newest checkpoint, and a check of receipts. 404 where there is no log. */
export const logPageRoutes = (site: Site, files: LogFiles | undefined): Route[] =>
  site.page({ id: 'showPublicLog', path: '/log', access: 'anyone', show: logPage(files) });

const logPage =
  (files: LogFiles | undefined): PageHandler<{}, View> =>
  async (view) => {
    const { ctx, language } = view;
    const say = speak(publicLogTexts, language);
    const log = await showLog(ctx, files);
    const isWitnessed = log.witnesses.length > 0;
    return sitePage(view, {
      title: say('title'),
      styles: [publicLogStyles],
      scripts: [receiptCheckScript],
      cacheControl: 'public, max-age=5',
      main: html`<h1>${say('title')}</h1>
<p class="lead">${say('about_entries')} ${say('about_names')}</p>
<p>${say('about_counts')} ${isWitnessed ? say('about_witnesses') : say('about_no_witnesses')} ${say('about_people')}</p>
${receiptCheck(view, log)}${newestState(view, log)}${isWitnessed && witnessTable(view, log)}${ownCheck(view, log)}`,
    });
  };

/** Texts that the script shows, beside those with places for its values. */
const scriptTexts = [
  'unsupported',
  'looking_up',
  'still_counts',
  'undone_withdrawn',
  'undone_removed',
  'undone_invalidated',
  'offline',
  'not_looked_up',
  'not_yet',
  'malformed',
  'bad_signature',
  'unknown_log',
  'not_signed',
  'cannot_check',
  'not_included',
  'no_answer',
] as const;

function receiptCheck({ language }: View, { verifier_keys, witnesses }: PublicLog): Html {
  const say = speak(publicLogTexts, language);
  const trust = { log: verifier_keys, witnesses: witnesses.map((one) => one.verifier_key) };
  const value = (name: string) => html`<bdi data-value="${name}"></bdi>`;
  const template = (name: string, text: Html | string) =>
    html`<template data-text="${name}">${text}</template>\n`;
  return html`<section><h2>${say('check_title')}</h2>
<p>${say('check_lead')}</p>
<noscript><p class="notice">${say('check_needs_script')}</p></noscript>
<form data-receipt-check data-trust="${JSON.stringify(trust)}">
<div class="field"><label for="receipt">${say('receipt')}</label>
<textarea id="receipt" rows="6" spellcheck="false" autocomplete="off"></textarea></div>
<div class="field"><label for="receipt-file">${say('receipt_file')}</label>
<input type="file" id="receipt-file" accept=".tlog-proof,text/plain"></div>
<p><button>${say('check')}</button></p>
<div role="status"></div>
${template('counted', say('counted', { index: value('index'), size: value('size') }))}${template('witnessed', say('witnessed', { names: value('names') }))}${scriptTexts.map((name) => template(name, say(name)))}</form></section>
`;
}

function newestState({ ctx, language }: View, log: PublicLog): Html {
  const say = speak(publicLogTexts, language);
  const { origin, tree_size: size, root_hash: root, updated_at: at, checkpoint_url: url } = log;
  return html`<section><h2>${say('state_title')}</h2>
<dl class="pairs"><dt>${say('name')}</dt><dd><bdi>${origin}</bdi></dd>
<dt>${say('entries')}</dt><dd>${formatNumber(language, size)}</dd>
${at !== null && html`<dt>${say('last_change')}</dt><dd>${formatAgo(language, new Date(at), ctx.now())}</dd>\n`}<dt>${say('root')}</dt><dd><code dir="ltr">${root}</code></dd>
<dt>${say('key')}</dt><dd><code dir="ltr">${log.verifier_key}</code></dd></dl>
<p><a href="${new URL(url).pathname}" rel="nofollow">${say('checkpoint_file')}</a></p></section>
`;
}

function witnessTable({ ctx, language }: View, { witnesses }: PublicLog): Html {
  const say = speak(publicLogTexts, language);
  const heading = say('witnesses');
  const rows = witnesses.map(
    ({ name, size, cosigned_at: at }) =>
      html`<tr><th scope="row"><bdi>${name}</bdi></th><td class="number">${size === null ? '' : formatNumber(language, size)}</td><td>${at === null ? say('never') : formatAgo(language, new Date(at), ctx.now())}</td></tr>\n`,
  );
  return html`<section><h2>${heading}</h2>
<p>${say('witnesses_lead')}</p>
<div class="scroll" tabindex="0" role="region" aria-label="${heading}"><table><thead><tr><th scope="col">${say('witness')}</th><th scope="col" class="number">${say('entries')}</th><th scope="col">${say('cosigned')}</th></tr></thead>
<tbody>
${rows}</tbody></table></div></section>
`;
}

/** How to check without trusting this page. */
function ownCheck({ ctx, language }: View, { verifier_key: key }: PublicLog): Html {
  const say = speak(publicLogTexts, language);
  const command = (text: string) => html`<pre dir="ltr" tabindex="0"><code>${text}</code></pre>\n`;
  return html`<section><h2>${say('own_title')}</h2>
<p>${say('own_lead')}</p>
${command(`npx open-petitions-verifier audit ${ctx.config.baseUrl}`)}${command(`npx open-petitions-verifier receipt receipt.tlog-proof --key '${key}'`)}${ctx.site.current.modules.developers && html`<p><a href="/docs/guides/figures#check-the-count" hreflang="en">${say('own_guide')}</a></p>\n`}</section>
`;
}
