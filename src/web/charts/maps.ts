import { scaleSqrt } from 'd3-scale';
import { html, type Content, type Html } from '../../platform/html.ts';
import { formatNumber, plainText, speak } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';
import type { GeoCell } from '../../reach/analytics/schema.ts';
import { svgFigure } from './svg-figure.ts';
import { chartTexts } from './texts.ts';
import { mapSize, onMap, worldMap } from './world.ts';

interface PlacesMap {
  caption: Content;
  places: readonly GeoCell[];
  /** Loads the land at once, for pages that are printed: what was never in view is not. */
  isPrinted?: boolean;
}

/** The name of a place: its city or else its region, and its country. */
const labelOf = (language: Language, { city, region, country_name: country }: GeoCell): string =>
  areaName(language, city || region, country);

/** The name of an area with its country; one of them may be empty. */
export const areaName = (language: Language, area: string, country: string): string =>
  area && country ? plainText(chartTexts, language, 'area', { area, country }) : area || country;

/**
 * A world map with a circle for each place; its area is proportional to the count. The land, 7 KB compressed, is loaded
 * when it comes into view.
 */
export function placesMap(
  { language }: { language: Language },
  { caption, places, isPrinted = false }: PlacesMap,
): Html {
  if (places.length === 0) return html``;
  const { width, height } = mapSize;
  const maxCount = Math.max(...places.map(({ count }) => count));
  const radius = scaleSqrt([1, Math.max(2, maxCount)], [3, 16]);
  const circles = places.map((place) => {
    const { x, y } = onMap(place);
    const title = plainText(chartTexts, language, 'number_of', {
      what: labelOf(language, place),
      count: place.count,
    });
    return html`<circle cx="${x}" cy="${y}" r="${radius(place.count).toFixed(1)}"><title>${title}</title></circle>
`;
  });
  // Images in an SVG element cannot be lazy, so the land lies below it.
  const map = html`<div class="map"><img src="${worldMap().address}" width="${width}" height="${height}" alt=""${!isPrinted && html` loading="lazy"`} decoding="async">
<svg class="chart" viewBox="0 0 ${width} ${height}" direction="ltr" aria-hidden="true">
<g fill="currentColor" fill-opacity="0.55" stroke="currentColor">
${circles}</g></svg></div>`;
  const say = speak(chartTexts, language);
  return svgFigure(language, {
    caption,
    drawing: map,
    columns: [say('place'), say('number')],
    rows: places.map((place) => [labelOf(language, place), formatNumber(language, place.count)]),
  });
}
