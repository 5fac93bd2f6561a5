import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countryCodes } from '../src/platform/countries.ts';
import { canonicalPlace, describePlace, loadPlaces } from '../src/platform/places.ts';
import { halfOf, type Half } from './data/places/halves.ts';
import { readSpellings } from './data/places/spellings.ts';

describe('the collected spellings of places', () => {
  const spellings = readSpellings();
  const { cities, areas } = loadPlaces();
  const counts = new Map<string, number>();
  for (const { country } of spellings) counts.set(country, (counts.get(country) ?? 0) + 1);

  it('are at least 400 of at least 40 countries, none with more than 8%', () => {
    assert.ok(spellings.length >= 400, String(spellings.length));
    assert.ok(counts.size > 40, String(counts.size));
    const most = Math.max(...counts.values());
    assert.ok(most <= spellings.length * 0.08, String(most));
    const withoutPlace = counts.get('')! / spellings.length;
    assert.ok(withoutPlace > 0.04 && withoutPlace < 0.06, String(withoutPlace));
  });

  it('are different texts, each with its source', () => {
    assert.equal(new Set(spellings.map(({ text }) => text)).size, spellings.length);
    for (const { text, source } of spellings) {
      assert.notEqual(text.trim(), '');
      assert.match(source, /^[\w.-]+\/[\w.-]+: \S+$/);
    }
  });

  it('name countries, regions and cities that exist', () => {
    const wrong = spellings.filter(({ country, region, cityId, city }) => {
      if (!country) return region !== '' || cityId !== '' || city !== '';
      if (!countryCodes.has(country)) return true;
      if (region && !areas.byPath.has(`${country}.${region}`)) return true;
      if (!cityId) return city !== '';
      const number = cities.withId(Number(cityId));
      if (number === undefined) return true;
      const path = `${country}.${region}.${cityId}`;
      const isInRegion = cities.regions[cities.regionOf[number]!] === `${country}.${region}`;
      return !isInRegion || describePlace(path).city !== city;
    });
    // Names no text: the second half is not to be read while rules are written.
    assert.deepEqual(
      wrong.map(({ country, region, cityId }) => [country, region, cityId]),
      [],
    );
  });

  it('are drawn into halves of about the same size', () => {
    assert.deepEqual(['Leeds', 'Nowhere'].map(halfOf), ['first', 'second']);
    const first = spellings.filter(({ text }) => halfOf(text) === 'first').length;
    assert.ok(Math.abs(first / spellings.length - 0.5) < 0.05, String(first));
  });

  for (const half of ['first', 'second'] as const) {
    it(`of the ${half} half are read right`, (t) => {
      const { country, city, wrongCountry } = sharesOf(half);
      const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
      t.diagnostic(
        `country right ${percent(country)}, city right ${percent(city)}, wrong country ${percent(wrongCountry)}`,
      );
      assert.ok(country >= 0.95 && city >= 0.9 && wrongCountry <= 0.01);
    });
  }

  /** Shares of the texts that name a country or city and are read so, and of all texts that are read as another country. */
  function sharesOf(half: Half) {
    const read = spellings
      .filter(({ text }) => halfOf(text) === half)
      .map((spelling) => {
        const path = canonicalPlace(spelling.text, { country: null }) ?? '';
        const [country = '', , cityId = ''] = path.split('.');
        return { spelling, country, cityId };
      });
    const share = <Row>(rows: Row[], isRight: (row: Row) => boolean) =>
      rows.filter(isRight).length / rows.length;
    return {
      country: share(
        read.filter(({ spelling }) => spelling.country),
        ({ spelling, country }) => country === spelling.country,
      ),
      city: share(
        read.filter(({ spelling }) => spelling.cityId),
        ({ spelling, cityId }) => cityId === spelling.cityId,
      ),
      wrongCountry: share(
        read,
        ({ spelling, country }) => country !== '' && country !== spelling.country,
      ),
    };
  }
});
