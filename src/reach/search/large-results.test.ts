import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { newId } from '../../platform/ids.ts';
import { languageOf } from './analysis.ts';
import { complete } from './completing.ts';
import { unfiltered } from './filtering.ts';
import { indexChanges } from './indexing.ts';
import { indexedTiers } from './sort-axes.ts';
import { simply } from './queries.ts';
import {
  decodePosition,
  encodePosition,
  readLarge,
  type LargeResult,
  type Position,
} from './relevance.ts';
import { analyzeQuery } from './query-analysis.ts';

// Results are read so where thousands match; here the reading itself is tried on a few hundred, all of
// which are in the sample, where each stands for eight, so that it goes down in small steps.
describe('large results', () => {
  let service: Service;
  let ada: Person;
  before(async () => {
    service = await startService();
    await service.ctx.pools.main`
      create or replace function is_sampled_for_search(petition_id uuid) returns boolean
      language sql immutable as 'select true'`;
    ada = await signUp(service);
    await add('harbour', 'a text that says nothing of it', 230);
    await add('other', 'a text that tells of the harbour', 60);
    await add('other', 'a text that tells of nothing', 60);
  });
  after(() => service[Symbol.asyncDispose]());

  let count = 0;
  async function add(word: string, text: string, howMany: number): Promise<void> {
    for (let n = 0; n < howMany; n += 1) {
      count += 1;
      // Some are among the best known, which have indexes of their own.
      const signatures = ((count * 37) % 500) ** 2;
      const title = `The ${word} ${'again '.repeat(count % 4)}number ${count}`;
      await service.ctx.pools.main`
        insert into petitions (id, slug, creator_id, title, description, status, signature_count,
          imported_signature_count, trend, published_at)
        values (${newId()}, ${`petition-${count}`}, ${ada.id}, ${title}, ${text.padEnd(60, '.')},
          ${count % 5 === 0 ? 'closed' : 'active'}, ${signatures}, ${signatures}, ${(count * 53) % 100},
          ${new Date(Date.UTC(2024, 0, 1 + ((count * 71) % 300)))})`;
    }
    while (await indexChanges(service.ctx));
  }

  /** What is said to be in all, and how many titles are ranked at once. */
  type Way = Pick<LargeResult, 'extent' | 'mostRanked'>;
  const sample = { of: Infinity, times: [8, 32, 128, 512], tiers: [] };
  const sampleWithTiers = {
    ...sample,
    tiers: indexedTiers.map((upTo, n) => ({ upTo, share: (n + 1) / 10 })),
  };
  const many = { found: 2500, fetched: 2500, sample };
  const ways = {
    'range by range': { extent: many, mostRanked: 80 },
    'tier by tier': { extent: { ...many, sample: sampleWithTiers }, mostRanked: 80 },
    together: { extent: { ...many, sample: { ...sample, of: 3000 } }, mostRanked: 10_000 },
    'all at once': { extent: { ...many, fetched: 600 }, mostRanked: 80 },
  } satisfies Record<string, Way>;
  const { words: match, inTitles, ranking } = analyzeQuery('harbours', [languageOf('en')!]);

  /** All pages, and what was added between them. */
  async function readAll(way: Way, between: () => Promise<void> = async () => {}) {
    const found: Position[] = [];
    for (let place: Position | null = null; ;) {
      const page: Position[] = await readLarge(
        service.ctx.pools.search,
        {
          match: simply(...match),
          inTitles,
          shareInTitles: 1 / 8,
          filters: simply(),
          ranking,
          ...way,
        },
        place,
        17,
      );
      found.push(...page);
      if (page.length < 17) return found;
      place = decodePosition(encodePosition(page.at(-1)!));
      await between();
    }
  }

  for (const [how, way] of Object.entries(ways)) {
    it(`have each match once, those with the word in the title first, ranked ${how}`, async () => {
      const found = await readAll(way);
      assert.equal(new Set(found.map(({ id }) => id)).size, 290);
      assert.equal(found.length, 290);
      assert.ok(found.slice(0, 230).every(({ phase }) => phase === 'titles'));
      assert.ok(found.slice(230).every(({ phase }) => phase === 'rest'));
      const priors = found.slice(230).map(({ key }) => key);
      assert.deepEqual(
        priors,
        priors.toSorted((a, b) => b - a),
      );
    });
  }

  it('are expected to be as many as have a form of the word in the title, where that is known', async () => {
    const { ctx } = service;
    const expected = async (word: string) => {
      const typed = analyzeQuery(word, [languageOf('en')!]);
      return (await complete(ctx, ctx.pools.search, typed, unfiltered)).understood.titles;
    };
    const [row] = await ctx.pools.main`
      select count(*)::integer as titles from petitions where title ~ 'harbour'`;
    assert.equal(await expected('harb'), row!.titles);
    assert.equal(await expected('harbours'), row!.titles);
    assert.equal(await expected('nowhere'), 0);
    // Words as short as its stem are not counted.
    assert.equal(await expected('runs'), undefined);
  });

  it('show nothing twice and pass over nothing while petitions are added', async () => {
    const earlier = (await readAll(ways['range by range'])).map(({ id }) => id);
    let rounds = 0;
    const found = (
      await readAll(ways['range by range'], async () => {
        if ((rounds += 1) <= 3) await add('harbour', 'added meanwhile, with the word', 5);
      })
    ).map(({ id }) => id);
    assert.equal(new Set(found).size, found.length);
    assert.deepEqual(
      earlier.filter((id) => !found.includes(id)),
      [],
    );
  });

  const columns = { recent: 'sort_at', signatures: 'signature_count', trending: 'trend' };
  for (const [sort, column] of Object.entries(columns)) {
    for (const [q, word, tried] of [
      ['harbour', 'harbour', 'many match'],
      ['harbour&status=active', 'harbour', 'many match of what most are'],
      ['harbour&status=closed', 'harbour', 'many match of what some are'],
      ['13', '\\m13', 'few match'],
    ]) {
      it(`are in the order of ${sort} where ${tried}, page by page`, async () => {
        const found: string[] = [];
        for (let cursor = ''; ;) {
          const { body } = await service.api.get(
            `/v1/search/petitions?q=${q}&sort=${sort}&limit=13${cursor && `&cursor=${cursor}`}`,
          );
          found.push(...body.data.map(({ id }: { id: string }) => id));
          cursor = body.pagination.next_cursor ?? '';
          if (cursor === '') break;
        }
        const { pools } = service.ctx;
        const [, status = null] = /status=(.*)/.exec(q!) ?? [];
        const rows = await pools.main`
          select id from petitions
          where (title || description) ~ ${word!} and status = coalesce(${status}, status)
          order by ${pools.main(column)} desc, id desc`;
        assert.ok(rows.length > 10);
        assert.deepEqual(
          found,
          rows.map(({ id }) => id as string),
        );
      });
    }
  }

  it('are found by the beginning of a word that most titles have, as by the word', async () => {
    const search = async (q: string) => {
      const { body } = await service.api.get(`/v1/search/petitions?q=${q}&limit=50`);
      return { ids: body.data.map(({ id }: { id: string }) => id), total: body.total };
    };
    const found = await search('number');
    assert.equal(found.ids.length, 50);
    assert.deepEqual(await search('numb'), found);
  });

  it('are suggested where one word is misspelt and the other begins very many', async () => {
    const { body } = await service.api.get('/v1/search/suggest?q=numbr+13+harbour');
    assert.deepEqual(
      body.data.map(({ title }: { title: string }) => title.endsWith('number 13')),
      [true],
    );
  });

  it('end with 503 where the database does not answer in time, and harm nothing else', async () => {
    const { pools } = service.ctx;
    await pools.main.begin(async (tx) => {
      await tx`lock table search_documents in access exclusive mode`;
      const searches = Array.from({ length: 60 }, () =>
        service.api.get('/v1/search/petitions?q=harbour'),
      );
      const first = await Promise.race(searches);
      assert.equal(first.status, 503);
      assert.equal(first.body.type.split('/').at(-1), 'unavailable');
      assert.match(first.body.detail, /^Too many are searching/, 'it does not wait for the others');
      for (const path of ['/v1/petitions', '/v1/petitions/petition-7', '/health/ready']) {
        assert.equal((await service.api.get(path)).status, 200);
      }
      assert.deepEqual(
        [...new Set((await Promise.all(searches)).map(({ status }) => status))],
        [503],
      );
    });
    assert.equal((await service.api.get('/v1/search/petitions?q=harbour')).status, 200);
  });
});
