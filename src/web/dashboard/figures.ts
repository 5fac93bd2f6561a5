import { attribute, html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { formatCountry, formatNumber, formatPercent, speak } from '../../platform/pages/catalog.ts';
import { getManagedPetition } from '../../campaigns/petitions/manage.ts';
import { PetitionRef } from '../../campaigns/petitions/schema.ts';
import { placesOfLastWeek, readAnalytics } from '../../reach/analytics/analytics.ts';
import {
  AnalyticsQuery,
  granularities,
  type PetitionAnalytics,
} from '../../reach/analytics/schema.ts';
import { areaName, barChart, growthChart, placesMap } from '../charts/charts.ts';
import { checkInput, omitEmpty, type OwnView, type PageHandler, type Site } from '../site/site.ts';
import { figureTexts } from './texts.ts';
import { petitionPage, petitionPath, petitionRoute } from './frame.ts';

/** Figures of a petition. */
export const figureRoutes = (site: Site): Route[] =>
  site.page({
    id: 'showPetitionFigures',
    path: `${petitionRoute}/figures`,
    access: 'user',
    params: PetitionRef,
    show: figuresPage,
  });

/** Last day of the figures of a petition that has ended. */
const ends = ['end', 'today'] as const;
/** Bars in a chart of sources or regions. */
const maxBars = 15;

/** Growth, sources of visits and signatures, and places of signers. */
const figuresPage: PageHandler<{ id: string }> = async (view, { params, query }) => {
  const { ctx, viewer, language } = view;
  const say = speak(figureTexts, language);
  const { petition, permissions: may } = await getManagedPetition(ctx, viewer.caller, params.id);
  const { granularity = 'day' } = query;
  const until = query.until === 'today' ? 'today' : 'end';
  const end_date = until === 'today' ? ctx.now().toISOString().slice(0, 10) : '';
  const period = checkInput(AnalyticsQuery, omitEmpty({ granularity, end_date }));
  const [figures, places] = await Promise.all([
    readAnalytics(ctx, { caller: viewer.caller, ref: petition.id, query: period }),
    placesOfLastWeek(ctx, petition.id),
  ]);
  const path = petitionPath(petition, 'figures');
  const { traffic_sources: sources, geographic_breakdown: regions } = figures;
  const views = barsOf(sources, (one) => [nameOfSource(say, one.source), one.views]);
  const signatures = barsOf(sources, (one) => [nameOfSource(say, one.source), one.signatures]);
  const areas = barsOf(regions, ({ country, region, count }) => [
    areaName(language, region, country && formatCountry(language, country)) ||
      say('elsewhere').text,
    count,
  ]);
  return petitionPage(view, petition, {
    current: 'figures',
    may,
    main: html`${
      petition.closed_at !== null &&
      choice(ends, until, (one) => [
        `${path}?granularity=${granularity}&until=${one}`,
        say(`until_${one}`),
      ])
    }${totals(view, figures)}
${choice(granularities, granularity, (one) => [`${path}?granularity=${one}&until=${until}`, say(one)])}
${growthChart(view, {
  caption: say('growth'),
  points: figures.signature_growth.map(({ date, cumulative }) => ({
    at: new Date(date),
    value: cumulative,
  })),
})}${views.length + signatures.length > 0 && html`<h2>${say('sources')}</h2>\n`}${barChart(view, {
      caption: say('views_by_source'),
      bars: views,
    })}${barChart(view, { caption: say('signatures_by_source'), bars: signatures })}${
      areas.length > 0 && html`<h2>${say('regions')}</h2>\n`
    }${barChart(view, { caption: say('signatures_by_source'), bars: areas })}${placesMap(view, {
      caption: say('places'),
      places,
    })}`,
  });
};

/** Links to the same page with one of these chosen. */
const choice = <T extends string>(
  all: readonly T[],
  chosen: string,
  link: (one: T) => [href: string, label: Html],
): Html => html`<ul class="tabs small">
${all.map((one) => {
  const [href, label] = link(one);
  return html`<li><a href="${href}"${attribute('aria-current', one === chosen && 'true')}>${label}</a></li>\n`;
})}</ul>`;

/** The rows above zero, the largest first. */
function barsOf<T>(
  rows: readonly T[],
  read: (row: T) => [string, number],
): { label: string; value: number }[] {
  return rows
    .map(read)
    .map(([label, value]) => ({ label, value }))
    .filter(({ value }) => value > 0)
    .toSorted((a, b) => b.value - a.value)
    .slice(0, maxBars);
}

const named = ['direct', 'share', 'other'] as const;
const nameOfSource = (say: (name: (typeof named)[number]) => Html, source: string) => {
  const known = named.find((one) => one === source);
  return known ? say(known).text : source;
};

function totals({ language }: OwnView, { totals: sums }: PetitionAnalytics): Html {
  const say = speak(figureTexts, language);
  const figure = (label: Html, value: string) =>
    html`<div><dt>${label}</dt><dd class="figure">${value}</dd></div>\n`;
  return html`<dl class="figures">${figure(say('views'), formatNumber(language, sums.views))}${figure(
    say('signatures'),
    formatNumber(language, sums.signatures),
  )}${figure(say('shares'), formatNumber(language, sums.shares))}${figure(
    say('conversion'),
    formatPercent(language, sums.conversion_rate),
  )}</dl>`;
}
