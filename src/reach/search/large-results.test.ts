import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { newId } from '../../platform/ids.ts';
import { maxRankedTitles } from './cost-model.ts';
import { indexChanges } from './indexing.ts';
import { languageOf } from './languages.ts';
import { analyzeQuery } from './query-analysis.ts';
import type { SearchFilters } from './document.ts';
import { readLargePage, type PageRequest } from './large-page.ts';
import { byRelevance, bySort, type ResultOrder, type ResultRow } from './result-order.ts';

/** Estimates by which each scan is tried first. */
const sizes = {
  'ranked together': { documents: 1e6, bestKnown: 0, total: 2000, inTitle: 230 },
  'part by part, by the word index': {
    documents: 1e9,
    bestKnown: 0,
    total: 20_000,
    inTitle: maxRankedTitles + 1,
  },
  'part by part, by walks': { documents: 400, bestKnown: 0, total: 390, inTitle: 2000 },
  'the best known first': { documents: 1e6, bestKnown: 1e5, total: 20_000, inTitle: 2000 },
} satisfies Record<string, PageRequest['size']>;

// Thousands of matches are read so; here the reading is tested on some hundred.
describe('large results', () => {
  let service: Service;
  let ada: Person;
  before(async () => {
    service = await startService();
    ada = await signUp(service);
    await add('harbour', 'a text about something else', 230);
    await add('other', 'a text about the harbour', 60);
    await add('other', 'a text about nothing', 60);
  });
  after(() => service[Symbol.asyncDispose]());

  let count = 0;
  async function add(word: string, text: string, petitions: number): Promise<void> {
    for (let n = 0; n < petitions; n += 1) {
      count += 1;
      // Some are in the index of the best known.
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

  /** All pages, with petitions added between them by `betweenPages`. */
  async function readAll(
    orderAt: (cursor: string | undefined) => ResultOrder,
    request: Omit<PageRequest, 'limit'>,
    betweenPages: () => Promise<void> = async () => {},
  ): Promise<ResultRow[]> {
    const found: ResultRow[] = [];
    for (;;) {
      const order = orderAt(found.at(-1)?.cursor);
      const page = await readLargePage(service.ctx.pools.search, order, {
        ...request,
        limit: 17,
      });
      found.push(...page);
      if (page.length < 17) return found;
      await betweenPages();
    }
  }

  const requestFor = (
    size: PageRequest['size'],
    q = 'harbours',
    filters: SearchFilters = {},
  ): PageRequest => {
    const { words, inTitle, ranking } = analyzeQuery(q, [languageOf('en')!]);
    return { match: { words, filters }, inTitle, ranking, size, limit: 17 };
  };

  const idsWhere = async (word: string, status: string | null, column: string) => {
    const { main } = service.ctx.pools;
    const rows = await main`
      select id from petitions
      where (title || description) ~ ${word} and status = coalesce(${status}, status)
      order by ${main(column)} desc, id desc`;
    return rows.map(({ id }) => id as string);
  };

  for (const [way, size] of Object.entries(sizes)) {
    it(`have each match once, those with the word in the title first, read ${way}`, async () => {
      const found = (await readAll(byRelevance, requestFor(size))).map(({ id }) => id);
      const inTitle = await idsWhere('The harbour', null, 'id');
      assert.deepEqual(new Set(found.slice(0, 230)), new Set(inTitle));
      const known = await service.ctx.pools.main`
        select petition_id as id from search_documents
        where petition_id <> all(${inTitle}::uuid[]) and document @@ 'harbour'::tsquery
        order by known desc, petition_id desc`;
      assert.deepEqual(
        found.slice(230),
        known.map(({ id }) => id as string),
      );
    });

    it(`show nothing twice and skip nothing while petitions are added, read ${way}`, async () => {
      const earlier = await readAll(byRelevance, requestFor(size, 'again'));
      let rounds = 0;
      const later = await readAll(byRelevance, requestFor(size, 'again'), async () => {
        if ((rounds += 1) <= 3) await add('extra again', 'added meanwhile', 5);
      });
      const found = later.map(({ id }) => id);
      assert.equal(new Set(found).size, found.length);
      assert.deepEqual(
        earlier.filter(({ id }) => !found.includes(id)),
        [],
      );
    });

    for (const [sort, column] of [
      ['recent', 'sort_at'],
      ['signatures', 'signature_count'],
      ['trending', 'trend'],
    ] as const) {
      it(`are in the order of ${sort}, read ${way}`, async () => {
        for (const status of [undefined, 'active', 'closed']) {
          const request = requestFor(size, 'harbour', {
            ...(status && { statuses: [status] }),
          });
          const found = await readAll((cursor) => bySort(sort, cursor), request);
          const wanted = await idsWhere('harbour', status ?? null, column);
          assert.ok(wanted.length > 10);
          assert.deepEqual(
            found.map(({ id }) => id),
            wanted,
          );
        }
      });
    }
  }

  it('end if every sampled match has the word in the title, though there are others', async () => {
    // The estimated total is rounded, the matches in titles are not.
    const size = { documents: 1e6, bestKnown: 0, total: 2000, inTitle: 2000.4 };
    const found = await readAll(byRelevance, requestFor(size));
    assert.equal(found.length, (await idsWhere('harbour', null, 'id')).length);
  });

  it('are found by the beginning of a word that most titles have, as by the word', async () => {
    const search = async (q: string) => {
      const { body } = await service.api.get(`/v1/search/petitions?q=${q}&limit=50`);
      return { ids: body.data.map(({ id }: { id: string }) => id), total: body.total };
    };
    const found = await search('number');
    assert.equal(found.ids.length, 50);
    assert.deepEqual(await search('numb'), found);
    assert.deepEqual(await search('harbour numb'), await search('harbour number'));
  });

  it('are suggested if one word is misspelt and the other is the prefix of many', async () => {
    const { body } = await service.api.get('/v1/search/suggest?q=numbr+13+harbour');
    assert.deepEqual(
      body.data.map(({ title }: { title: string }) => title.endsWith('number 13')),
      [true],
    );
  });

  it('end with 503 if the database does not answer in time, and block nothing else', async () => {
    const { pools } = service.ctx;
    await pools.main.begin(async (tx) => {
      await tx`lock table search_documents in access exclusive mode`;
      const searches = Array.from({ length: 60 }, () =>
        service.api.get('/v1/search/petitions?q=harbour'),
      );
      let hasEveryAnswer = false;
      const all = Promise.all(searches).then((answers) => {
        hasEveryAnswer = true;
        return answers;
      });
      // Those beyond the limit are refused while the others wait.
      const first = await Promise.race(searches);
      assert.equal(hasEveryAnswer, false);
      assert.equal(first.status, 503);
      assert.equal(first.body.type.split('/').at(-1), 'unavailable');
      assert.match(first.body.detail, /^Too many are searching/, 'it does not wait for the others');
      for (const path of ['/v1/petitions', '/v1/petitions/petition-7', '/health/ready']) {
        assert.equal((await service.api.get(path)).status, 200);
      }
      assert.deepEqual([...new Set((await all).map(({ status }) => status))], [503]);
    });
    assert.equal((await service.api.get('/v1/search/petitions?q=harbour')).status, 200);
  });
});
