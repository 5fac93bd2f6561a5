import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Language } from '../../platform/pages/language.ts';
import { barChart, growthChart, placesMap } from './charts.ts';
import { onMap } from './world.ts';

const english = { language: 'en' } as const;
const day = (n: number) => new Date(Date.UTC(2026, 0, n));

describe('charts', () => {
  it('have a table with the last point', () => {
    const points = Array.from({ length: 500 }, (_, n) => ({ at: day(n + 1), value: n * 3 }));
    const { text } = growthChart(english, { caption: 'Signatures <so far>', points });
    assert.match(text, /<figcaption[^>]*>Signatures &lt;so far&gt;</);
    const rows = text.match(/<tr><td/g)!;
    assert.ok(rows.length > 40 && rows.length <= 60, `${rows.length} rows`);
    assert.match(text, /<td class="number">1,497<\/td><\/tr>\s*<\/tbody>/);
    assert.doesNotMatch(text, /NaN|undefined/);
  });

  it('render one point, zero values, and nothing for no data', () => {
    const one = growthChart(english, { caption: '', points: [{ at: day(1), value: 7 }] }).text;
    assert.match(one, /<circle/);
    const flat = [day(1), day(2)].map((at) => ({ at, value: 0 }));
    assert.doesNotMatch(growthChart(english, { caption: '', points: flat }).text, /NaN/);
    assert.equal(growthChart(english, { caption: '', points: [] }).text, '');
    assert.equal(barChart(english, { caption: '', bars: [] }).text, '');
    assert.equal(placesMap(english, { caption: '', places: [] }).text, '');
  });

  it('have ticks at whole numbers', () => {
    const { text } = growthChart(english, { caption: '', points: [{ at: day(1), value: 1 }] });
    const ticks = [...text.matchAll(/text-anchor="end">([^<]+)</g)].map(([, tick]) => tick);
    assert.deepEqual(ticks, ['0', '1']);
  });

  it('label no two ticks alike', () => {
    const texts = (html: string, anchor: string) =>
      [...html.matchAll(new RegExp(`text-anchor="${anchor}">([^<]+)<`, 'g'))].map(([, one]) => one);
    for (const [days, value] of [
      [1, 1],
      [2, 7],
      [3, 1240],
      [40, 10_100],
      [400, 1_234_567],
    ] as const) {
      const at = [day(1), day(days)];
      const points = at.map((one, n) => ({ at: one, value: value + n * 3 }));
      const { text } = growthChart(english, { caption: '', points });
      for (const anchor of ['end', 'middle']) {
        const labels = texts(text, anchor);
        assert.equal(new Set(labels).size, labels.length, `${days} days: ${labels.join(' ')}`);
      }
    }
  });

  it('number what happened, and list it', () => {
    const points = [day(1), day(20)].map((at, n) => ({ at, value: n * 10 }));
    const events = [
      { at: day(1), text: 'Published' },
      { at: day(9), text: 'Update: <News>' },
    ];
    const { text } = growthChart(english, { caption: '', points, events });
    assert.equal(text.match(/class="event"/g)!.length, 2);
    assert.match(text, /<li>Update: &lt;News&gt;/);
  });

  it('format numbers for the language', () => {
    const bars = [{ label: 'example.org', value: 1234 }];
    assert.match(barChart({ language: 'de' as Language }, { caption: '', bars }).text, />1\.234</);
  });

  it('put places at their coordinates', () => {
    const london = onMap({ lat: 51.5, lng: 0 });
    const sydney = onMap({ lat: -33.9, lng: 151.2 });
    assert.ok(london.x < sydney.x && london.y < sydney.y);
    const places = [
      {
        city: 'Leeds & York',
        region: 'England',
        country: 'GB',
        country_name: 'Britain',
        lat: 53.8,
        lng: -1.5,
        count: 12,
      },
      {
        city: '',
        region: '',
        country: 'AU',
        country_name: 'Australia',
        lat: -33.9,
        lng: 151.2,
        count: 12,
      },
    ];
    const { text } = placesMap(english, { caption: 'Where', places });
    assert.match(text, /<title>Leeds &amp; York, Britain: 12<\/title>/);
    assert.equal(text.match(/<circle/g)!.length, 2);
    // The land is loaded when it comes into view, and keeps its place.
    assert.match(
      text,
      /<img src="\/drawings\/world\.[\w-]+\.svg" width="640" height="312" [^>]*loading="lazy"/,
    );
  });
});
