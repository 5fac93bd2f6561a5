import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { silent } from '../support/progress.ts';
import { startService, type Service } from '../support/service.ts';
import { importFile, readArguments, type ImportSettings } from '../../src/cli/import.ts';
import { indexChanges } from '../../src/reach/search/indexing.ts';

const data = fileURLToPath(new URL('../../../shared/data/', import.meta.url));
const files = ['us-petitions.csv', 'uk-petitions.csv'].map((name) => data + name);
const missing = files.every((file) => existsSync(file))
  ? false
  : `the petitions of the UK and the US are not at ${data}`;

/** Queries and the expected first title. */
const first: [kind: string, q: string, title: RegExp][] = [
  ['title', 'Prevent Donald Trump from making a State Visit', /^Prevent Donald Trump from making/],
  ['title', 'ban driven grouse shooting', /^Ban driven grouse shooting$/],
  ['title', 'meningitis b vaccine', /^Give the Meningitis B vaccine to ALL children/],
  ['title', 'Westboro Baptist Church', /^Legally recognize Westboro Baptist Church/],
  ['title', 'eu referendum', /^EU Referendum Rules triggering a 2nd EU Referendum$/],
  ['title', 'recount the election', /^Recount the election!$/],
  ['title', 'nhs bursary', /^Keep the NHS Bursary$/],
  ['title', 'badger cull', /^End the badger cull instead of expanding/],
  ['title of few signatures', 'stop imports from germany', /^Stop Imports from Germany$/],
  ['title of few signatures', 'abolish 1p and 2p coins', /^Abolish 1p and 2p Coins/],
  ['case', 'SAVE THE HUMAN RIGHTS ACT', /^Save the Human Rights Act$/],
  ['accents', 'bán drivén grousé', /^Ban driven grouse shooting$/],
  ['punctuation', "don't kill our bees", /^Don't kill our bees!/],
  ['punctuation', 'non recyclable non compostable packaging', /^Ban all non-recyclable\/non-comp/],
  ['numbers', 'Article 50', /^Invoke Article 50 of The Lisbon Treaty/],
  ['numbers', '£35k threshold', /^Scrap the £35k threshold/],
  ['stems', 'petition for women wearing high heels', /high heels/],
  ['stems', 'tax on sugary drink', /^Introduce a tax on sugary drinks/],
  ['stems', 'school penalties fine', /^No more school penalty fines/],
  ['stems', 'labelled genetically engineered food', /genetically engineered foods/],
  ['stems', 'starve city syria', /starving cities in Syria/],
  ['prefix', 'grouse shoo', /^Ban driven grouse shooting$/],
  ['prefix', 'car insur', /^Put a max of £1200 on car insurance/],
  ['prefix', 'neonicot', /^Don't kill our bees! Immediately halt the use of Neonicotinoids/],
  ['a letter too few', 'menigitis vaccine', /^Give the Meningitis B vaccine to ALL/],
  ['a letter too many', 'cannabbis sale', /^Make the production, sale and use of cannabis legal/],
  ['another letter', 'badger kull', /^End the badger cull instead of expanding/],
  ['letters that changed places', 'firewokrs sale', /^Ban the sale of fireworks to the public/],
  ['phrase', '"dog meat trade"', /brutal dog meat trade/],
  ['phrase', '"boxing day" retail', /^Close all retail on boxing day/],
  ['phrase', '“state visit” trump', /^Prevent Donald Trump/],
  ['exclusion', 'trump "uk entry" -prevent', /^Block Donald J Trump from UK entry$/],
  ['exclusion', 'fireworks -ban -restrict', /^(?!.*\b(?:ban|restrict))/i],
];

describe('the petitions of the UK and the US', { skip: missing }, () => {
  let service: Service;
  const tallies: unknown[] = [];
  const output: string[] = [];
  before(async () => {
    service = await startService();
    for (const file of files) {
      const settings = readArguments([file]) as ImportSettings;
      tallies.push(
        await importFile(service.ctx, settings, (line) => void output.push(line), silent),
      );
    }
    while (await indexChanges(service.ctx));
    // Autovacuum would do this within two minutes.
    await service.ctx.pools.main`analyze search_documents`;
  });
  after(() => service[Symbol.asyncDispose]());

  it('are imported, or reported by row', async () => {
    assert.deepEqual(tallies, [
      { imported: 768, alreadyThere: 0, leftOut: 20 },
      { imported: 8487, alreadyThere: 0, leftOut: 0 },
    ]);
    assert.equal(output.filter((line) => /^line \d+: left out: /.test(line)).length, 20);
    const [sum] = await service.ctx.pools.main`
      select count(*)::int as petitions, sum(signature_count)::int as signatures,
        count(*) filter (where status = 'active')::int as active from petitions`;
    // The sums over the rows of the files, without the 20.
    assert.deepEqual({ ...sum }, { petitions: 9255, signatures: 31_374_392, active: 3206 });
  });

  const search = async (query: Record<string, string>) => {
    const path = `/v1/search/petitions?${new URLSearchParams(query).toString()}`;
    const { status, body } = await service.api.get(path);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const titles = (body: { data: { title: string }[] }) => body.data.map(({ title }) => title);

  for (const [kind, q, title] of first) {
    it(`are found by ${kind}: ${q}`, async () => {
      const found = titles(await search({ q, limit: '5' }));
      assert.match(found[0] ?? 'nothing', title, found.join('\n'));
    });
  }

  for (const { word, status } of [
    { word: 'the', status: null },
    { word: 'and', status: 'closed' },
    { word: null, status: 'closed' },
  ]) {
    it(`are counted by a sample: ${word ?? 'any word'}, ${status ?? 'any status'}`, async () => {
      // Quoted, so that spelling is not corrected.
      const query = { ...(word && { q: `"${word}"` }), ...(status && { status }) };
      const { total, facets, facets_estimated } = await search(query);
      assert.ok(facets_estimated);
      const rows = await service.ctx.pools.main`
        select status, count(*)::int as count from search_documents
        where document @@ ${`'${word ?? '='}'`}::tsquery and status = coalesce(${status}, status)
        group by status order by count desc`;
      assertNear(
        total,
        rows.reduce((sum, { count }) => sum + count, 0),
      );
      assert.equal(facets.status[0].value, rows[0]!.status);
      assertNear(facets.status[0].count, rows[0]!.count);
    });
  }

  it('are counted within 1% without a filter', async () => {
    const { total } = await search({});
    const [all] = await service.ctx.pools.main`select count(*)::int as count from search_documents`;
    assert.ok(
      Math.abs(total - all!.count) < all!.count / 100,
      `estimated ${total} of ${all!.count}`,
    );
  });
});

/** The error of a sample of an eighth of 1,000 documents is nearly always below a third. */
function assertNear(estimated: number, counted: number): void {
  assert.ok(counted > 1000, `${counted} are too few for an estimate`);
  assert.ok(Math.abs(estimated - counted) < counted / 3, `estimated ${estimated} of ${counted}`);
}
