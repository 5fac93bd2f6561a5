import { attribute, html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { formatCountry, formatNumber, formatPercent, speak } from '../../platform/pages/catalog.ts';
import { getManagedPetition } from '../../campaigns/petitions/manage.ts';
import { countSharesByChannel } from '../../campaigns/shares/shares.ts';
import { placesOfLastWeek, readAnalytics } from '../../reach/analytics/analytics.ts';
import {
  AnalyticsQuery,
  granularities,
  type PetitionAnalytics,
} from '../../reach/analytics/schema.ts';
import { areaName, barChart, growthChart, placesMap } from '../charts/charts.ts';
import { checkInput, omitEmpty, type OwnView, type PageHandler, type Site } from '../site/site.ts';
import { channelName } from './channel-names.ts';
import { figureTexts } from './texts.ts';
import { growthEvents } from './growth-events.ts';
import { petitionPage, petitionPath, petitionRoute } from './dashboard-layout.ts';

/** Figures of a petition. */
export const figureRoutes = (site: Site): Route[] =>
  site.page({ id: 'showPetitionFigures', ...petitionRoute('/figures'), show: figuresPage });

/** Last day of the figures of a petition that has ended. */
const ends = ['end', 'today'] as const;
/** Bars in a chart of sources or regions. */
const maxBars = 15;

/** Growth, sources of visits and signatures, and places of signers. */
const figuresPage: PageHandler<{ id: string }> = async (view, { params, query }) => {
  const { ctx, viewer, language } = view;
  const say = speak(figureTexts, language);
  const managed = await getManagedPetition(ctx, viewer.caller, params.id);
  const { petition, permissions: may } = managed;
  const { granularity = 'day' } = query;
  const until = query.until === 'today' ? 'today' : 'end';
  const end_date = until === 'today' ? ctx.now().toISOString().slice(0, 10) : '';
  const period = checkInput(AnalyticsQuery, omitEmpty({ granularity, end_date }));
  const [figures, places, channels, events] = await Promise.all([
    readAnalytics(ctx, { caller: viewer.caller, ref: petition.id, query: period }),
    placesOfLastWeek(ctx, petition.id),
    countSharesByChannel(ctx, petition.id),
    growthEvents(view, managed),
  ]);
  const path = petitionPath(petition, 'figures');
  const { traffic_sources: sources, geographic_breakdown: regions } = figures;
  const views = barsOf(sources, ({ source, views: value }) => [sourceName(say, source), value]);
  const signatures = barsOf(sources, ({ source, signatures: value }) => [
    sourceName(say, source),
    value,
  ]);
  const areas = barsOf(regions, ({ country, region, count }) => [
    areaName(language, region, country && formatCountry(language, country)) ||
      say('elsewhere').text,
    count,
  ]);
  return petitionPage(view, petition, {
    current: 'figures',
    may,
    main: [
      petition.closed_at !== null &&
        choice(ends, until, (end) => ({
          href: `${path}?granularity=${granularity}&until=${end}`,
          label: say(`until_${end}`),
        })),
      html`${totals(view, figures)}
${choice(granularities, granularity, (unit) => ({
  href: `${path}?granularity=${unit}&until=${until}`,
  label: say(unit),
}))}
`,
      growthChart(view, {
        caption: say('growth'),
        points: figures.signature_growth.map(({ date, cumulative: value }) => ({
          at: new Date(date),
          value,
        })),
        events,
      }),
      html`<h2>${say('funnel')}</h2>\n`,
      barChart(view, { caption: say('funnel_hint'), bars: funnelOf(say, figures) }),
      figures.signing_by_mail.asked > 0 && signingByMail(view, figures),
      views.length + signatures.length > 0 && html`<h2>${say('sources')}</h2>\n`,
      barChart(view, { caption: say('views_by_source'), bars: views }),
      barChart(view, { caption: say('signatures_by_source'), bars: signatures }),
      channels.length > 0 && html`<h2>${say('channels')}</h2>\n`,
      barChart(view, {
        caption: say('shares'),
        bars: channels.map(({ channel, shares }) => ({
          label: channelName(view, channel),
          value: shares,
        })),
      }),
      areas.length > 0 && html`<h2>${say('regions')}</h2>\n`,
      barChart(view, { caption: say('signatures_by_source'), bars: areas }),
      ctx.site.current.modules.map && placesMap(view, { caption: say('places'), places }),
    ],
  });
};

/** Links to the same page with one of these chosen. */
const choice = <Name extends string>(
  names: readonly Name[],
  chosen: string,
  linkOf: (name: Name) => { href: string; label: Html },
): Html => html`<ul class="tabs small">
${names.map((name) => {
  const { href, label } = linkOf(name);
  return html`<li><a href="${href}"${attribute('aria-current', name === chosen && 'true')}>${label}</a></li>\n`;
})}</ul>`;

/** The rows above zero, the largest first. */
const barsOf = <T>(rows: readonly T[], read: (row: T) => [label: string, value: number]) =>
  rows
    .map(read)
    .map(([label, value]) => ({ label, value }))
    .filter(({ value }) => value > 0)
    .toSorted((a, b) => b.value - a.value)
    .slice(0, maxBars);

/** Visits, forms that were filled in, and signatures that count. */
function funnelOf(
  say: (name: 'views' | 'asked' | 'signatures') => Html,
  { totals: sums, signing_by_mail: mail }: PetitionAnalytics,
) {
  const filledIn = sums.signatures + Math.max(mail.asked - mail.confirmed, 0);
  return [
    { label: say('views').text, value: Math.max(sums.views, filledIn) },
    { label: say('asked').text, value: filledIn },
    { label: say('signatures').text, value: sums.signatures },
  ];
}

const named = ['direct', 'share', 'other'] as const;
const sourceName = (say: (name: (typeof named)[number]) => Html, source: string) => {
  const known = named.find((name) => name === source);
  return known ? say(known).text : source;
};

function totals({ language }: OwnView, { totals: sums }: PetitionAnalytics): Html {
  const say = speak(figureTexts, language);
  const figures = [
    [say('views'), formatNumber(language, sums.views)],
    [say('signatures'), formatNumber(language, sums.signatures)],
    [say('shares'), formatNumber(language, sums.shares)],
    [say('conversion'), formatPercent(language, sums.conversion_rate)],
  ];
  return html`<dl class="figures">${figures.map(([label, value]) => html`<div><dt>${label}</dt><dd class="figure">${value}</dd></div>\n`)}</dl>`;
}

/** How many filled in the form, were sent the mail, and confirmed it. */
function signingByMail({ language }: OwnView, { signing_by_mail: sums }: PetitionAnalytics): Html {
  const say = speak(figureTexts, language);
  return html`<h2>${say('by_mail')}</h2>
<dl class="figures">${(['asked', 'mailed', 'confirmed'] as const).map((name) => html`<div><dt>${say(name)}</dt><dd class="figure">${formatNumber(language, sums[name])}</dd></div>\n`)}</dl>`;
}
