import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canonicalPlace, loadPlaces } from './finding.ts';
import { suggestPlaces, type SuggestOptions } from './suggesting.ts';

const suggest = (text: string, options: Partial<SuggestOptions> = {}) =>
  suggestPlaces(text, { country: null, language: 'en', limit: 5, ...options });
const labels = async (text: string, options?: Partial<SuggestOptions>) =>
  (await suggest(text, options)).map(({ label }) => label);

describe('suggested places', () => {
  it('begin with the letters, whatever their case and accents', async () => {
    assert.ok((await labels('Springf')).includes('Springfield, Illinois, United States'));
    const [first] = await suggest('zURI');
    assert.equal(first?.path, 'CH.ZH.2657896');
    assert.deepEqual(await suggest('Köln'), await suggest('kol n'));
  });

  it('are of the country first, then the largest', async () => {
    assert.match((await labels('san', { country: 'US' }))[0]!, /^San Antonio, Texas/);
    assert.match((await labels('lond'))[0]!, /^London, England/);
    assert.match((await labels('lond', { country: 'CA' }))[0]!, /^London, Ontario/);
  });

  it('are found by names in other languages and scripts', async () => {
    for (const [text, path] of [
      ['Münch', 'DE.02.2867714'],
      ['Köln', 'DE.07.2886242'],
      ['القاه', 'EG.11.360630'],
      ['Москв', 'RU.48.524901'],
      ['北京', 'CN.22.1816670'],
      ['서울', 'KR.11.1835848'],
    ] as const) {
      assert.ok(
        (await suggest(text)).some((one) => one.path === path),
        text,
      );
    }
  });

  it('are countries and regions, too, named in the language', async () => {
    assert.deepEqual(await suggest('Deutschl', { language: 'de', limit: 1 }), [
      { path: 'DE', label: 'Deutschland' },
    ]);
    assert.deepEqual(await suggest('germa', { language: 'ar', limit: 1 }), [
      { path: 'DE', label: 'ألمانيا' },
    ]);
    assert.ok((await suggest('bavar')).some(({ path }) => path === 'DE.02'));
    assert.equal((await suggest('USA'))[0]?.path, 'US');
  });

  it('lie in what follows a comma', async () => {
    assert.deepEqual(await labels('springfield, ill'), ['Springfield, Illinois, United States']);
    assert.deepEqual(await labels('springfield, illinois, usx'), []);
    assert.match((await labels('par, fran'))[0]!, /^Paris, .*France$/);
  });

  it('begin with the third letter, or the second syllable', async () => {
    for (const text of ['', ' ', 'pa', 'p a', '12345', '北', ', France']) {
      assert.deepEqual(await suggest(text), [], text);
    }
  });

  it('are as many as asked for, and none twice', async () => {
    const found = await suggest('san', { limit: 10 });
    assert.equal(found.length, 10);
    assert.equal(new Set(found.map(({ path }) => path)).size, 10);
  });

  it('are read back exactly, whatever country is hinted', async () => {
    const { cities } = loadPlaces();
    const largest = [...cities.populations.keys()]
      .toSorted((a, b) => cities.populations[b]! - cities.populations[a]!)
      .slice(0, 3000);
    let suggested = 0;
    for (const city of largest) {
      const region = cities.regions[cities.regionOf[city]!]!;
      const options = { country: region.slice(0, 2), limit: 10 };
      const found = await suggest(cities.nameOf(city), options);
      for (const { label, path } of found) {
        for (const country of [null, 'US', 'FR', 'DE', 'ES']) {
          assert.equal(canonicalPlace(label, { country }), path, `${label} from ${country}`);
        }
      }
      suggested += Number(found.some(({ path }) => path === `${region}.${cities.ids[city]}`));
    }
    assert.ok(suggested >= 0.97 * largest.length, `${suggested} of ${largest.length}`);
  });
});
