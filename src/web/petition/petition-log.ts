import { showPetition } from '../../campaigns/petitions/read.ts';
import { isPublished } from '../../campaigns/petitions/policy.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { html, type Content, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { formatDay, formatNumber, speak } from '../../platform/pages/catalog.ts';
import { notFound } from '../../platform/problems.ts';
import { findPetitionLog, type LogFiles } from '../../reach/transparency-log/transparency-log.ts';
import type { PetitionLog } from '../../reach/transparency-log/schema.ts';
import { growthChart } from '../charts/charts.ts';
import {
  callerOf,
  noIndex,
  sitePage,
  type PageHandler,
  type Site,
  type View,
} from '../site/site.ts';
import { petitionStyles } from './assets.ts';
import { pathTo, SlugRef } from './addresses.ts';
import { isOpen } from './head.ts';
import { linkBack } from './link-back.ts';
import { petitionTexts } from './texts.ts';

/** The page that shows what the public log holds of a petition. 404 where there is no log. */
export const petitionLogRoutes = (site: Site, files: LogFiles | undefined): Route[] =>
  site.page({
    id: 'showPetitionLog',
    path: '/p/{slug}/log',
    closedToCrawlers: true,
    access: 'anyone',
    params: SlugRef,
    show: logPage(files),
  });

/** The link below the count of a petition that is in the log. */
export const logLink = ({ language }: View, { slug }: Petition, code: string | undefined): Html =>
  html`<p class="small log-link"><a href="${pathTo(slug, { below: 'log', code })}" rel="nofollow">${speak(petitionTexts, language)('log_link')}</a></p>\n`;

const logPage =
  (files: LogFiles | undefined): PageHandler<SlugRef, View> =>
  async (view, { params, query }) => {
    const { ctx, language } = view;
    const say = speak(petitionTexts, language);
    const { access_code: code } = query;
    const caller = callerOf(view);
    const petition = await showPetition(ctx, caller, params.slug, code);
    if (!isPublished(petition)) throw notFound('page');
    const log = await findPetitionLog(ctx, files, { caller, ref: petition.id, code });
    return sitePage(view, {
      title: view.say('labelled', { label: say('log_title'), value: petition.title }),
      styles: [petitionStyles],
      head: noIndex,
      ...(isOpen(petition) && { cacheControl: 'public, max-age=5' }),
      main: html`${linkBack(view, petition, code)}<h1>${say('log_title')}</h1>
<p class="lead">${say('log_lead')}</p>
${log ? contents(view, petition, log) : html`<p class="notice">${say('log_empty')}</p>\n`}${checking(view, petition, code)}`,
    });
  };

function contents(view: View, petition: Petition, log: PetitionLog): Html {
  const say = speak(petitionTexts, view.language);
  const { signature_count: count } = petition;
  const isEqual = count === log.signature_count;
  return html`<section class="panel"><p class="number sum">${sumInWords(view, log)}</p>
<p role="status">${isEqual ? say('log_equal') : say('log_behind', { count })}</p>${facts(view, log)}</section>
${log.days ? byDay(view, log.days) : html`<p class="quiet">${say('log_reading')}</p>\n`}`;
}

function facts({ language }: View, log: PetitionLog): Html {
  const say = speak(petitionTexts, language);
  const { log_id: id, entry_count: entries, last_total_index: total } = log;
  return html`<dl class="pairs small"><dt>${say('log_id')}</dt><dd><code dir="ltr">${id}</code></dd>
<dt>${say('log_entry_count')}</dt><dd>${formatNumber(language, entries)}</dd>
${
  total !== null &&
  html`<dt>${say('log_last_total')}</dt><dd>${String(total)}</dd>
`
}</dl>`;
}

type Day = NonNullable<PetitionLog['days']>[number];

/** What the entries add up to, as a calculation. */
function sumInWords(view: View, { counted, imported, signature_count, days }: PetitionLog): Html {
  const say = speak(petitionTexts, view.language);
  const total = html`<strong>${formatNumber(view.language, signature_count)}</strong>`;
  if (!days) return say('log_sum_short', { counted, imported, total });
  const { signed, undone, restored } = added(days);
  return say('log_sum', { signed, undone, restored, imported, total });
}

const none = { signed: 0, undone: 0, restored: 0, imported: 0 };
type Kinds = typeof none;

const added = (days: readonly Kinds[]): Kinds =>
  days.reduce(
    (sum, day) => ({
      signed: sum.signed + day.signed,
      undone: sum.undone + day.undone,
      restored: sum.restored + day.restored,
      imported: sum.imported + day.imported,
    }),
    none,
  );

const netOf = ({ signed, undone, restored, imported }: Kinds): number =>
  signed - undone + restored + imported;

/** Days in the table. Earlier ones are in its last row. */
const maxRows = 60;

/** The entries of each kind by day, newest first, and the count at the end of each day. */
function byDay(view: View, days: readonly Day[]): Html {
  if (days.length === 0) return html``;
  const { language } = view;
  const say = speak(petitionTexts, language);
  const heading = say('log_days');
  const numbers = ['log_signed', 'log_undone', 'log_restored', 'log_imported', 'log_net'] as const;
  return html`<section><h2>${heading}</h2>
<p>${say('log_kinds')}</p>
${days.length > 1 && growthChart(view, { caption: say('growth'), points: growthOf(days) })}<div class="scroll" tabindex="0" role="region" aria-label="${heading}"><table><thead><tr><th scope="col">${say('log_day')}</th>${numbers.map(
    (name) => html`<th scope="col" class="number">${say(name)}</th>`,
  )}</tr></thead>
<tbody>
${rowsOf(days).map((day) => dayRow(view, day))}</tbody></table></div></section>
`;
}

const growthOf = (days: readonly Day[]) => {
  let value = 0;
  return days.map((day) => ({ at: new Date(day.day), value: (value += netOf(day)) }));
};

/** The newest days first, then the sum of all others. */
function rowsOf(days: readonly Day[]): Day[] {
  const newest = days.slice(-maxRows).toReversed();
  const others = days.slice(0, -maxRows);
  const last = others.at(-1);
  return last ? [...newest, { ...added(others), day: last.day, has_earlier: true }] : newest;
}

function dayRow({ language }: View, day: Day): Html {
  const at = formatDay(language, new Date(day.day));
  const what: Content = day.has_earlier
    ? speak(petitionTexts, language)('log_until', { day: at })
    : at;
  const { signed, undone, restored, imported } = day;
  return html`<tr><th scope="row">${what}</th>${[
    signed,
    undone,
    restored,
    imported,
    netOf(day),
  ].map((number) => html`<td class="number">${formatNumber(language, number)}</td>`)}</tr>\n`;
}

/** How people check the log themselves. */
function checking(view: View, petition: Petition, code: string | undefined): Html {
  const { ctx, language } = view;
  const say = speak(petitionTexts, language);
  const command = `npx open-petitions-verifier audit ${ctx.config.baseUrl}`;
  const entries = `/v1/petitions/${petition.id}/log/entries${code === undefined ? '' : `?access_code=${encodeURIComponent(code)}`}`;
  return html`<section><h2>${say('log_check')}</h2>
<p>${say('log_check_lead')}</p>
<pre class="command" dir="ltr"><code>${command}</code></pre>
<ul>
<li><a href="/log">${say('log_whole')}</a></li>
<li><a href="${entries}" rel="nofollow">${say('log_entries')}</a></li>
${ctx.site.current.modules.developers && html`<li><a href="/docs/guides/figures#check-the-count" hreflang="en">${say('log_guide')}</a></li>\n`}</ul></section>
`;
}
