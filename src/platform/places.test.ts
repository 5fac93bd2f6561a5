import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describePlace, parentPlace, canonicalPlace } from './places.ts';

/** Names of the place, city first. */
const named = (text: string, country: string | null = null) => {
  const path = canonicalPlace(text, { country });
  if (!path) return null;
  const { city, region, countryCode } = describePlace(path);
  return [city, region, countryCode].filter(Boolean).join(', ');
};

describe('places', () => {
  it('are found by names that people write', () => {
    const cases: [text: string, place: string][] = [
      ['Leeds', 'Leeds, England, GB'],
      ['Leeds, GB', 'Leeds, England, GB'],
      ['القاهرة، EG', 'Cairo, Cairo, EG'],
      ['  leeds ,  united kingdom', 'Leeds, England, GB'],
      ['Paris, France', 'Paris, Île-de-France, FR'],
      ['münchen', 'Munich, Bavaria, DE'],
      ['Munchen, Deutschland', 'Munich, Bavaria, DE'],
      ['東京', 'Tokyo, Tokyo, JP'],
      ['Москва', 'Moscow, Moscow, RU'],
      ['Springfield, IL, USA', 'Springfield, Illinois, US'],
      ['Springfield, MA', 'Springfield, Massachusetts, US'],
      ['Fez, MA', 'Fès, Fes-Meknes, MA'],
      ['London, ON', 'London, Ontario, CA'],
      ['São Paulo - SP, Brasil', 'São Paulo, São Paulo, BR'],
      ['New York', 'New York City, New York, US'],
      ['Texas', 'Texas, US'],
      ['Ontario', 'Ontario, CA'],
      ['England', 'England, GB'],
      ['Georgia', 'GE'],
      ['UK', 'GB'],
      ['Österreich', 'AT'],
      ['日本', 'JP'],
    ];
    assert.deepEqual(
      cases.map(([text]) => [text, named(text)]),
      cases,
    );
  });

  it('with one name are distinguished by country, then by size', () => {
    assert.equal(named('Paris', 'US'), 'Paris, Texas, US');
    assert.equal(named('Paris, FR', 'US'), 'Paris, Île-de-France, FR');
    assert.equal(named('Georgia', 'US'), 'Georgia, US');
    assert.equal(named('CA', 'US'), 'California, US');
    assert.equal(named('CA', 'FR'), 'CA');
    assert.equal(named('Newcastle', 'AU'), 'Newcastle, New South Wales, AU');
  });

  it('are at most as precise as a city, and only as precise as the text', () => {
    assert.equal(named('10 Downing Street, London'), 'London, England, GB');
    assert.equal(named('50667 Köln, DE'), 'Köln, North Rhine-Westphalia, DE');
    assert.equal(named('Nowhereville, GB', 'FR'), 'GB');
    assert.equal(named('my kitchen', 'FR'), 'FR');
    for (const text of ['my kitchen', 'at', '', ' , ,', '🎉', '\0', '%', 'a'.repeat(200)]) {
      assert.equal(named(text), null, text);
    }
  });

  it('have names and centres', () => {
    assert.deepEqual(describePlace('GB.ENG.2644688'), {
      countryCode: 'GB',
      country: 'United Kingdom',
      region: 'England',
      city: 'Leeds',
      lat: 53.7965,
      lng: -1.5479,
    });
    const region = describePlace('GB.ENG');
    assert.deepEqual([region.region, region.city], ['England', '']);
    // The centre of the population, not on the other side of the date line.
    const fiji = describePlace('FJ');
    assert.ok(fiji.lng > 176 && fiji.lat < -15, JSON.stringify(fiji));
    // An unknown id.
    assert.equal(describePlace('GB.ENG.1').city, '');
    assert.deepEqual(['GB.ENG.2644688', 'GB.ENG', 'GB'].map(parentPlace), [
      'GB.ENG',
      'GB',
      undefined,
    ]);
  });
});
