import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describePlace, parentPlace, canonicalPlace } from './places.ts';

/** Names of the place, city first. */
const named = (text: string, country: string | null = null, language?: string) => {
  const path = canonicalPlace(text, { country, language });
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
    assert.equal(named('Cambridge', 'US'), 'Cambridge, Massachusetts, US');
    // A hint is no proof: the town in Texas is too small.
    assert.equal(named('Paris', 'US'), 'Paris, Île-de-France, FR');
    assert.equal(named('Paris, FR', 'US'), 'Paris, Île-de-France, FR');
    assert.equal(named('Georgia', 'US'), 'Georgia, US');
    assert.equal(named('CA', 'US'), 'California, US');
    assert.equal(named('CA', 'FR'), 'CA');
    assert.equal(named('Newcastle', 'AU'), 'Newcastle, New South Wales, AU');
  });

  it('with one name are distinguished by the language of the petition, if no country is known', () => {
    assert.equal(named('Toledo'), null);
    assert.equal(named('Toledo', null, 'es'), 'Toledo, Castille-La Mancha, ES');
    assert.equal(named('Toledo', 'US', 'es'), 'Toledo, Ohio, US');
    assert.equal(named('Halle'), null);
    assert.equal(named('Halle', null, 'nl'), 'Halle, Flanders, BE');
    assert.equal(named('Vienne'), 'Vienna, Vienna, AT');
    assert.equal(named('Vienne', null, 'fr'), 'Vienne, Auvergne-Rhône-Alpes, FR');
    // English is written everywhere.
    assert.equal(named('Florence', null, 'en'), 'Florence, Tuscany, IT');
    // Most people of both countries use it.
    assert.equal(named('Córdoba', null, 'es'), named('Córdoba'));
    // A language is no proof, and no place.
    assert.equal(named('London', null, 'fr'), 'London, England, GB');
    assert.equal(named('Nowhere at all', null, 'de'), null);
  });

  it('are found in each way that people write', () => {
    const cases: [text: string, place: string | null][] = [
      // An article; formal, short, dotted and foreign names of countries.
      ['The UK', 'GB'],
      ['U.S.', 'US'],
      ['EE.UU.', 'US'],
      ['Bundesrepublik Deutschland', 'DE'],
      ['Pays-Bas', 'NL'],
      ['Congo, DRC', 'CD'],
      ['🇩🇪', 'DE'],
      // A qualifier in brackets, after a slash, a hyphen, a comma or a space.
      ['Köln (NRW)', 'Köln, North Rhine-Westphalia, DE'],
      ['Belo Horizonte/MG', 'Belo Horizonte, Minas Gerais, BR'],
      ['Brasília-DF', 'Brasília, Federal District, BR'],
      ['Canterbury, Kent. UK', 'Canterbury, England, GB'],
      ['Los Angeles CA', 'Los Angeles, California, US'],
      ['Frankfurt (Oder)', 'Frankfurt (Oder), Brandenburg, DE'],
      // Postcodes and numbers of districts.
      ['London SW1', 'London, England, GB'],
      ['D-10115 Berlin', 'Berlin, State of Berlin, DE'],
      ['1012 AB Amsterdam', 'Amsterdam, North Holland, NL'],
      ['New York, NY 10001', 'New York City, New York, US'],
      ['Paris 11e', 'Paris, Île-de-France, FR'],
      // Two languages, and other scripts.
      ['Biel/Bienne', 'Biel/Bienne, Bern, CH'],
      ['Bozen - Bolzano', 'Bolzano, Trentino-Alto Adige, IT'],
      ['東京都渋谷区', 'Tokyo, JP'],
      ['القاهرة مصر', 'Cairo, Cairo, EG'],
      // Regions and islands.
      ['Alsace', 'Grand Est, FR'],
      ['Mallorca', 'Balearic Islands, ES'],
      ['Tenerife', 'Canary Islands, ES'],
      // Without diacritics, in capitals, shortened.
      ['SAO PAULO/SP', 'São Paulo, São Paulo, BR'],
      ['LODZ', 'Łódź, Łódź Voivodeship, PL'],
      ['nyc', 'New York City, New York, US'],
      ['9ja', 'NG'],
      // A country stands before towns of its name; what else the text says decides.
      ['Palestine', 'PS'],
      ['Palestine, TX', 'Palestine, Texas, US'],
      ['Lebanon, PA', 'Lebanon, Pennsylvania, US'],
      ['Amritsar, Punjab', 'Amritsar, Punjab, IN'],
      ['Lahore, Punjab', 'Lahore, Punjab, PK'],
      ['my house in Leeds', 'Leeds, England, GB'],
      // Two places of one area are the area.
      ['Leeds & Bradford', 'England, GB'],
    ];
    assert.deepEqual(
      cases.map(([text]) => [text, named(text)]),
      cases,
    );
  });

  it('are none where the text is ambiguous or names no place', () => {
    const texts =
      'Springfield; Newcastle; Berlin/London; Germany/France; Earth; Home; Europe; us; can; no; she/her';
    assert.deepEqual(
      texts.split('; ').map((text) => [text, named(text)]),
      texts.split('; ').map((text) => [text, null]),
    );
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
