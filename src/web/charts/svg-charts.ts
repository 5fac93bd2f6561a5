import { scaleLinear, scaleUtc } from 'd3-scale';
import { area, line } from 'd3-shape';
import { html, type Content, type Html } from '../../platform/html.ts';
import { formatDay, formatNumber, formatShortNumber, speak } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';
import { svgFigure } from './svg-figure.ts';
import { chartTexts } from './texts.ts';

type HasLanguage = { language: Language };

const size = { width: 640, height: 240, start: 48, end: 34, top: 12, bottom: 28 };

interface Growth {
  caption: Content;
  /** Oldest first. */
  points: readonly { at: Date; value: number }[];
  /** What happened meanwhile, oldest first: numbered on the line, and listed below. */
  events?: readonly { at: Date; text: Content }[];
}

/** A line chart of a value over time. */
export function growthChart(
  { language }: HasLanguage,
  { caption, points, events = [] }: Growth,
): Html {
  const first = points[0];
  const last = points.at(-1);
  if (!first || !last) return html``;
  const { width, height, start, end, top, bottom } = size;
  const x = scaleUtc([first.at, last.at], [start, width - end]);
  const maxValue = Math.max(1, ...points.map(({ value }) => value));
  const y = scaleLinear([0, maxValue], [height - bottom, top]).nice(4);
  const coordinates = points.map(({ at, value }) => [round(x(at)), round(y(value))] as const);
  const onlyPoint = coordinates.length === 1 && coordinates[0]!;
  // Counts are whole numbers.
  const wholeTicks = y.ticks(4).filter(Number.isInteger);
  const numbers = tickNumbers(language, wholeTicks);
  const isLong = last.at.getTime() - first.at.getTime() > maxDaysWithoutYear * 86_400_000;
  const days = x.ticks(5).map((tick) => ({ tick, label: dayLabel(language, tick, isLong) }));
  const svg = html`<svg class="chart" viewBox="0 0 ${width} ${height}" direction="ltr" aria-hidden="true">
${wholeTicks.map(
  (tick, index) =>
    html`<line class="grid" x1="${start}" x2="${width - end}" y1="${round(y(tick))}" y2="${round(y(tick))}"/>
<text x="${start - 8}" y="${round(y(tick)) + 4}" text-anchor="end">${numbers[index]}</text>
`,
)}${days
    // Several ticks of one day would have the same label.
    .filter(({ label }, index) => label !== days[index - 1]?.label)
    .map(
      ({ tick, label }) =>
        html`<text x="${round(x(tick))}" y="${height - 8}" text-anchor="middle">${label}</text>
`,
    )}<path d="${areaOver(round(y(0)))([...coordinates])}" fill="currentColor" opacity="0.15"/>
<path d="${line()(coordinates.map(([px, py]) => [px, py]))}" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linejoin="round"/>
${onlyPoint && html`<circle cx="${onlyPoint[0]}" cy="${onlyPoint[1]}" r="4" fill="currentColor"/>`}${events.map(
    ({ at }, index) => {
      const place = round(Math.min(Math.max(x(at), start), width - end));
      return html`<line class="event" x1="${place}" x2="${place}" y1="${top}" y2="${height - bottom}"/>
<text x="${place}" y="${top}" text-anchor="middle">${formatNumber(language, index + 1)}</text>
`;
    },
  )}</svg>${
    events.length > 0 &&
    html`<ol class="small">
${events.map(({ at, text }) => html`<li>${text} <span class="quiet">${formatDay(language, at)}</span></li>\n`)}</ol>`
  }`;
  const say = speak(chartTexts, language);
  return svgFigure(language, {
    caption,
    drawing: svg,
    columns: [say('day'), say('number')],
    rows: thinned(points).map(({ at, value }) => [
      formatDay(language, at),
      formatNumber(language, value),
    ]),
  });
}

interface Bars {
  caption: Content;
  bars: readonly { label: string; value: number }[];
}

/** A chart with a horizontal bar for each value, in the given order. */
export function barChart({ language }: HasLanguage, { caption, bars }: Bars): Html {
  const maxValue = Math.max(1, ...bars.map(({ value }) => value));
  const rows = bars.map(
    ({ label, value }) => html`<li><span dir="auto">${label}</span>
<progress class="progress" max="${maxValue}" value="${value}" aria-hidden="true"></progress>
<span class="number">${formatNumber(language, value)}</span></li>
`,
  );
  return bars.length === 0
    ? html``
    : html`<figure><figcaption class="quiet small">${caption}</figcaption>
<ul class="bars" aria-label="${caption}">
${rows}</ul></figure>
`;
}

const areaOver = (base: number) =>
  area<readonly [number, number]>()
    .x(([x]) => x)
    .y0(base)
    .y1(([, y]) => y);

const round = (value: number) => Math.round(value * 10) / 10;

/** Labels of ticks, short where that keeps them apart. */
function tickNumbers(language: Language, ticks: readonly number[]): string[] {
  const short = ticks.map((tick) => formatShortNumber(language, tick));
  return new Set(short).size === short.length
    ? short
    : ticks.map((tick) => formatNumber(language, tick));
}

/** Longer charts could show one day of two years. */
const maxDaysWithoutYear = 300;

const dayLabel = (language: Language, at: Date, hasYear: boolean) =>
  at.toLocaleDateString(language, {
    ...(hasYear ? { year: 'numeric' } : { day: 'numeric' }),
    month: 'short',
    timeZone: 'UTC',
  });

const maxTableRows = 60;

/** At most `maxTableRows` of the points, evenly spaced, with the last one. */
function thinned<T>(points: readonly T[]): T[] {
  const step = Math.ceil(points.length / maxTableRows);
  return points.filter((_, index) => (points.length - 1 - index) % step === 0);
}
