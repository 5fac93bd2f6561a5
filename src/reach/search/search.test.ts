import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createDraft,
  logInAsAdmin,
  createTokens,
  createPublished,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

const filler = 'This text says why, and it is long enough for a petition to be made of it here.';

describe('searching', () => {
  let service: Service;
  let ada: Person;
  before(async () => {
    service = await startService({ worker: true });
    ada = await signUp(service);
  });
  after(() => service[Symbol.asyncDispose]());

  const pathOf = (query: Record<string, string>) =>
    `/v1/search/petitions?${new URLSearchParams(query).toString()}`;
  const search = async (query: Record<string, string>, headers = {}) => {
    const { status, body } = await service.api.get(pathOf(query), { headers });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const ids = async (query: Record<string, string>, headers = {}): Promise<string[]> =>
    (await search(query, headers)).data.map(({ id }: { id: string }) => id);
  /** Waits until all that has changed can be found. */
  const indexed = () =>
    eventually(async () => {
      const [row] = await service.ctx.pools.main`select count(*)::int as n from search_changes`;
      return row!.n === 0;
    }, 20_000);
  const petition = (title: string, more: object = {}) =>
    createPublished(ada, { title, description: filler, ...more });

  describe('by words', () => {
    let english: string;
    let french: string;
    let german: string;
    let spanish: string;
    let ukrainian: string;
    let japanese: string;
    before(async () => {
      const made = async (title: string, description: string, more = {}) =>
        (await createPublished(ada, { title, description: description.padEnd(50, '.'), ...more }))
          .id;
      english = await made(
        'Protect the old oaks of Ashdown',
        'The trees in the parks of our town are to be felled. We ask the council to protect them.',
        { tags: ['Ancient woodland', 'café'] },
      );
      french = await made(
        'Sauvons les forêts de la Chartreuse',
        "Nous demandons à la préfecture d'interdire les coupes rases et de protéger les écoles des environs.",
      );
      german = await made(
        'Rettet die Wälder am Großen Arber',
        'Wir fordern den Landrat auf, die Rodungen zu beenden und die Straße durch das Gebiet zu sperren.',
      );
      spanish = await made(
        'Salvemos los árboles de la Alameda',
        'Pedimos al ayuntamiento que detenga las talas y que proteja las calles con sombra de la ciudad.',
      );
      ukrainian = await made(
        'Збережемо парки Києва',
        'Ми просимо міську раду зупинити забудову парків і захистити дерева для наших дітей та онуків.',
      );
      japanese = await made(
        '井の頭公園の木を守ろう',
        '私たちは、公園の古い木を切らないように市に求めます。子どもたちと未来のために、この緑の場所を残してください。みなさんの署名をお願いします。',
      );
      await indexed();
    });

    it('finds words of titles, descriptions and tags, in any form and case', async () => {
      for (const q of [
        'oak',
        'OAKS',
        'council park',
        'felling',
        'ancient',
        'Cafe',
        'CAFÉ',
        'prot ashd',
      ]) {
        const found = await ids({ q });
        if (q !== 'prot ashd') assert.deepEqual(found, [english], q);
        else assert.deepEqual(found, [], 'only the last word may be unfinished');
      }
      assert.deepEqual(await ids({ q: 'oaks ashd' }), [english]);
    });

    it('finds French, German and Spanish by other forms of their words', async () => {
      for (const headers of [{}, { 'accept-language': 'fr-FR,fr;q=0.9' }]) {
        assert.deepEqual(await ids({ q: 'forêt' }, headers), [french]);
        assert.deepEqual(await ids({ q: 'foret' }, headers), [french]);
      }
      assert.deepEqual(await ids({ q: 'école protégée', language: 'fr' }), [french]);
      assert.deepEqual(await ids({ q: 'Wald', language: 'de' }), [german]);
      assert.deepEqual(await ids({ q: 'strassen rodung', language: 'de-AT' }), [german]);
      assert.deepEqual(await ids({ q: 'arbol', language: 'es' }), [spanish]);
      assert.deepEqual(await ids({ q: 'ciudades tala', language: 'es' }), [spanish]);
    });

    it('finds Ukrainian by words and their beginnings, and Japanese by any piece', async () => {
      assert.deepEqual(await ids({ q: 'парки' }), [ukrainian]);
      assert.deepEqual(await ids({ q: 'КИЄ' }), [ukrainian]);
      assert.deepEqual(await ids({ q: 'парк дерево', language: 'uk' }), [ukrainian]);
      for (const q of ['公園', '頭公園', '木', '古い木', '公園の木 署名', 'を守']) {
        assert.deepEqual(await ids({ q }), [japanese], q);
      }
      assert.deepEqual(await ids({ q: '園公' }), []);
    });

    it('matches phrases exactly and leaves out exclusions', async () => {
      assert.deepEqual(await ids({ q: '"parks of our town"' }), [english]);
      assert.deepEqual(await ids({ q: '“old oaks” felled' }), [english]);
      assert.deepEqual(await ids({ q: '"oaks old"' }), []);
      assert.deepEqual(await ids({ q: '"old oak"' }), [], 'a phrase is not stemmed');
      // Texts do not run into each other.
      assert.deepEqual(await ids({ q: '"Ashdown ancient"' }), []);
      assert.deepEqual(await ids({ q: 'oaks -felled' }), []);
      assert.deepEqual(await ids({ q: 'oaks -"council protect"' }), [english]);
      const others = await ids({ q: '-oak', limit: '100' });
      assert.ok(others.includes(french) && !others.includes(english));
    });

    it('corrects one typing error if nothing matches, and sets corrected', async () => {
      for (const q of ['ashdwon', 'ashdon', 'ashhdown', 'asgdown', 'oaks ashdwon', 'aschd']) {
        const { data, corrected, total } = await search({ q });
        assert.deepEqual([data.length, data[0]?.id, corrected, total], [1, english, true, 1], q);
      }
      assert.equal((await search({ q: 'ashdown' })).corrected, false);
      const far = await search({ q: 'axhdxwn' });
      assert.deepEqual([far.total, far.corrected, far.data], [0, false, []]);
      // Not where the filters alone leave nothing.
      assert.equal((await search({ q: 'ashdown', country: 'MT' })).total, 0);
    });

    it('ranks words in the title first, and a whole title above all', async () => {
      const body = await petition('Something else entirely', {
        description: `Snowdrop. ${filler}`,
      });
      const tag = await petition('Another thing altogether', { tags: ['snowdrop'] });
      const long = await petition(
        'Plant one snowdrop for each of the children of this whole valley',
      );
      const whole = await petition('A snowdrop');
      await indexed();
      assert.deepEqual(await ids({ q: 'a snowdrop' }), [whole.id, long.id, tag.id, body.id]);
    });
  });

  describe('by words with apostrophes, hyphens and signs', () => {
    const made = new Map<string, string>();
    const titles = {
      french: "Don't close l'école d'Orléans",
      typographic: 'Sauvons l’hôpital d’Étampes',
      plain: 'Dont touch lecole near the fjord',
      hyphen: 'Stop e\u2011mail scams',
      joined: 'Stop email tracking by shops',
      german: 'Mehr Anti-Lärm-Schutz am Bahndamm',
      germanJoined: 'Antilärm für die Moorbahn',
      soft: 'Umwelt\u00adschutz im Auenwald',
      arabic: 'حماية كِتَابِ الأطـــفال',
      fullWidth: 'Ｓａｖｅ ｒｏｕｔｅ ７７ for everyone',
      persian: 'کتاب\u200cها برای همه کودکان',
      range: 'Budget 2031-2034 for lidos',
    };
    before(async () => {
      for (const [name, title] of Object.entries(titles))
        made.set(name, (await petition(title)).id);
      await indexed();
    });

    const found = async (q: string): Promise<string[]> => {
      const listed = await ids({ q, limit: '100' });
      return [...made].filter(([, id]) => listed.includes(id)).map(([name]) => name);
    };

    for (const [q, names] of [
      ['dont', ['french', 'plain']],
      ["don't", ['french', 'plain']],
      ['don’t', ['french', 'plain']],
      ['donʼt', ['french', 'plain']],
      ['don´t touch', ['plain']],
      ['lécole', ['french', 'plain']],
      ["l'ecole", ['french', 'plain']],
      ['l’école', ['french', 'plain']],
      ['ecole', ['french']],
      ['orleans', ['french']],
      ["d'orleans", ['french']],
      ['dorléans', ['french']],
      ["l'eco", ['french', 'plain']],
      ["l'orleans", ['french']],
      ["d'hôpital", ['typographic']],
      ["l'hopital d'etampes", ['typographic']],
      ['"don\'t close l’école"', ['french']],
      ['"dont close lecole dorleans"', ['french']],
      ['"close école"', ['french']],
      ['"orléans l\'école"', []],
      ['scams -e-mail', []],
      ["close -l'école", []],
      ['e-mail', ['hyphen', 'joined']],
      ['email', ['hyphen', 'joined']],
      ['e−mail', ['hyphen', 'joined']],
      ['e-mai', ['hyphen', 'joined']],
      ['"stop email"', ['hyphen', 'joined']],
      ['"e mail scams"', ['hyphen']],
      ['"e-mail tracking"', ['joined']],
      ['anti-lärm', ['german', 'germanJoined']],
      ['antilärm', ['german', 'germanJoined']],
      ['anti–larm–schutz', ['german']],
      ['antilärmschutz', ['german']],
      ['umweltschutz', ['soft']],
      ['um\u00adwelt\u00adschutz', ['soft']],
      ['كتاب', ['arabic', 'persian'].slice(0, 1)],
      ['كـــتاب الأطفال', ['arabic']],
      ['كِتَابِ', ['arabic']],
      ['route 77', ['fullWidth']],
      ['ｒｏｕｔｅ７７', []],
      ['ｒｏｕｔｅ ７７', ['fullWidth']],
      ['کتابها', ['persian']],
      ['کتاب\u200cها', ['persian']],
      ['2031 lidos', ['range']],
      ['20312034', []],
    ] as [string, string[]][]) {
      it(`finds ${names.join(' and ') || 'nothing'} by ${q}`, async () => {
        assert.deepEqual(await found(q), names);
      });
    }

    it('suggests and compares titles in the same way', async () => {
      const suggested = async (q: string) => {
        const { body } = await service.api.get(`/v1/search/suggest?q=${encodeURIComponent(q)}`);
        return body.data.map(({ title }: { title: string }) => title);
      };
      for (const q of ['dont cl', "don't cl", 'don’t cl', "don't close l'é", 'lécole dorl']) {
        assert.deepEqual(await suggested(q), [titles.french], q);
      }
      const similar = async (title: string) => {
        const path = `/v1/petitions/similar?${new URLSearchParams({ title }).toString()}`;
        return (await service.api.get(path)).body.data.map((one: { title: string }) => one.title);
      };
      assert.deepEqual(await similar('Sauvons lhôpital détampes'), [titles.typographic]);
      assert.deepEqual(await similar("Sauvons l'hopital d'Etampes"), [titles.typographic]);
      assert.equal((await similar('Antilärmschutz Bahndamm'))[0], titles.german);
    });

    it('ranks a whole title above others, however it is typed', async () => {
      const longer = await petition('Our fire-flies need dark nights, for fire-flies are few');
      const whole = await petition('Fire-flies');
      await indexed();
      for (const q of ['fire-flies', 'fireflies', '"fire flies"', 'fire‑flies']) {
        assert.deepEqual(await ids({ q }), [whole.id, longer.id], q);
      }
    });

    it('filters and counts tags that are typed differently as one', async () => {
      const tags = ['Don’t drive', "don't drive", 'DON\u02bcT drive', 'ｄｏｎ＇ｔ ｄｒｉｖｅ'];
      const tagged = [];
      for (const tag of tags) tagged.push((await petition(`Tagged ${tag}`, { tags: [tag] })).id);
      await indexed();
      for (const tag of tags) {
        const { total, facets } = await search({ tag });
        assert.equal(total, tags.length, tag);
        assert.deepEqual(facets.tag, [{ value: "don't drive", count: tags.length }]);
        const listed = await service.api.get(`/v1/petitions?tags=${encodeURIComponent(tag)}`);
        const listedIds = listed.body.data.map(({ id }: { id: string }) => id);
        assert.deepEqual(new Set(listedIds), new Set(tagged));
      }
      const { body } = await service.api.get(`/v1/petitions/${tagged[0]}`);
      assert.deepEqual(body.data.tags, [tags[0]]);
    });
  });

  describe('after an upgrade', () => {
    const runBackfill = async (name: string) => {
      const { main } = service.ctx.pools;
      await main`update backfills set completed_at = null, cursor = null where name = ${name}`;
      await main`select graphile_worker.add_job(${`backfill:${name}`}, '{}'::json)`;
      await eventually(
        () => main.exists`
          select from backfills where name = ${name} and completed_at is not null`,
        20_000,
      );
      await indexed();
    };

    it('writes documents again and counts each word of a title once', async () => {
      const { main } = service.ctx.pools;
      const { id } = await petition('Wind-parks on the Vogelsberg');
      await indexed();
      await main`
        update search_documents
        set title = ${"'wind':1A 'parks':2A"}::tsvector, document = ${"'='"}::tsvector
        where petition_id = ${id}`;
      await main`delete from search_words where word = 'windparks'`;
      const counts = () => main.column<string>`
        select word || ' ' || titles from search_words where word in ('windparks', 'wind')
        order by word`;
      assert.deepEqual(await ids({ q: 'windparks vogelsberg' }), []);
      await runBackfill('search-joined-words');
      await runBackfill('search-joined-words');
      assert.deepEqual(await ids({ q: 'windparks vogelsberg' }), [id]);
      assert.deepEqual(await counts(), ['wind 1', 'windparks 1']);
    });

    it('finds tags by what was typed before, and by all spellings after their backfill', async () => {
      const { main } = service.ctx.pools;
      const { id } = await petition('A petition with an old tag', { tags: ['Lord’s meadow'] });
      await main`update petitions set tag_keys = '{lord’s meadow}' where id = ${id}`;
      await indexed();
      const tagged = async (tag: string) => {
        const { body } = await service.api.get(`/v1/petitions?tags=${encodeURIComponent(tag)}`);
        return [...(await ids({ tag })), ...body.data.map((one: { id: string }) => one.id)];
      };
      assert.deepEqual(await tagged('LORD’s meadow'), [id, id]);
      await runBackfill('petition-tag-keys');
      for (const tag of ['Lord’s meadow', "lord's meadow", 'lordʼs Meadow']) {
        assert.deepEqual(await tagged(tag), [id, id], tag);
      }
    });
  });

  describe('in lists', () => {
    let category: string;
    const made: { id: string; signatures: number }[] = [];
    before(async () => {
      const { body } = await service.api.get('/v1/categories');
      category = body.data[0].id;
      const tokens = await createTokens(service, 5);
      for (let n = 0; n < 12; n += 1) {
        const { id } = await petition(`Repair lighthouse number ${n} before winter`, {
          locationCountry: n % 2 === 0 ? 'MT' : 'IE',
          tags: n < 3 ? ['Sea', 'light'] : ['light'],
          ...(n % 3 === 0 && { categoryId: category }),
        });
        for (const token of tokens.slice(0, n % 6)) {
          await service.api.as(token).post(`/v1/petitions/${id}/signatures`);
        }
        if (n === 11) await ada.api.post(`/v1/petitions/${id}/close`);
        made.push({ id, signatures: n % 6 });
      }
      await indexed();
      // Orders follow counts with a delay.
      await eventually(
        async () =>
          !(await service.ctx.pools.main.exists`
            select from petitions
            where (sort_count, sort_trend) is distinct from (signature_count, trend)`),
        20_000,
      );
    });

    it('counts facets of the whole result, exactly if it is small', async () => {
      const { facets, facets_estimated, total, data, pagination } = await search({
        q: 'lighthouse',
        limit: '2',
      });
      assert.deepEqual(
        [total, facets_estimated, data.length, pagination.has_more],
        [12, false, 2, true],
      );
      assert.deepEqual(facets, {
        status: [
          { value: 'active', count: 11 },
          { value: 'closed', count: 1 },
        ],
        category: [{ value: category, count: 4 }],
        country: [
          { value: 'IE', count: 6 },
          { value: 'MT', count: 6 },
        ],
        tag: [
          { value: 'light', count: 12 },
          { value: 'sea', count: 3 },
        ],
      });
    });

    it('filters with and without words', async () => {
      const filtered = async (query: Record<string, string>) => (await search(query)).total;
      assert.equal(await filtered({ q: 'lighthouse', country: 'mt' }), 6);
      assert.equal(await filtered({ country: 'MT' }), 6);
      assert.equal(await filtered({ q: 'lighthouse', status: 'closed' }), 1);
      assert.equal(await filtered({ q: 'lighthouse', tag: 'SEA' }), 3);
      assert.equal(await filtered({ category: category.toUpperCase() }), 4);
      assert.equal(await filtered({ category, country: 'MT', tag: 'sea' }), 1);
      assert.equal(await filtered({ category, status: 'victory' }), 0);
      assert.equal(await filtered({ q: 'lighthouse', status: 'closed,victory' }), 1);
      assert.equal(
        await filtered({ q: 'lighthouse', status: 'active,closed' }),
        await filtered({ q: 'lighthouse' }),
      );
      assert.equal(await filtered({ tags: 'sea' }), await filtered({ tag: 'sea' }));
      assert.equal(await filtered({ tag: 'sea,no such' }), 0);
      const { body } = await service.api.get('/v1/categories');
      const { slug } = body.data.find(({ id }: { id: string }) => id === category);
      assert.equal(await filtered({ category: slug }), 4);
      assert.equal(await filtered({ categoryId: category, category: slug }), 4);
      const differing = `categoryId=${category}&category=no-such&tag=sea&tags=land`;
      const refused = await service.api.get(`/v1/search/petitions?${differing}`);
      assert.equal(refused.status, 422);
    });

    for (const sort of ['relevance', 'recent', 'signatures', 'trending']) {
      it(`pages by ${sort} without repeating or skipping any while petitions are added`, async () => {
        const seen: string[] = [];
        let cursor: string | undefined;
        let added = 0;
        do {
          const page = await search({
            q: 'lighthouse winter',
            sort,
            limit: '5',
            ...(cursor && { cursor }),
          });
          seen.push(...page.data.map(({ id }: { id: string }) => id));
          cursor = page.pagination.next_cursor;
          if ((added += 1) === 1)
            await petition(`Repair one more lighthouse before winter, by ${sort}`);
          await indexed();
        } while (cursor);
        assert.equal(new Set(seen).size, seen.length);
        assert.ok(made.every(({ id }) => seen.includes(id)));
      });
    }

    it('sorts by signatures and by time', async () => {
      const counts = (await search({ q: 'lighthouse number', sort: 'signatures' })).data.map(
        ({ signature_count }: { signature_count: number }) => signature_count,
      );
      assert.deepEqual(
        counts,
        made.map(({ signatures }) => signatures).toSorted((a, b) => b - a),
      );
      const recent = await ids({ q: 'lighthouse number', sort: 'recent' });
      assert.deepEqual(recent, made.map(({ id }) => id).toReversed());
    });

    it('orders petitions that fit equally by how well known they are', async () => {
      await eventually(async () => {
        const found = await search({ q: 'lighthouse number', limit: '2' });
        return found.data.every(({ signature_count: n }: { signature_count: number }) => n === 5);
      });
    });
  });

  describe('visibility', () => {
    const found = async (q: string) => (await search({ q })).data.length;

    it('finds what was published or changed a moment ago', async () => {
      const { id } = await createDraft(ada, { title: 'Reopen the funicular', description: filler });
      assert.equal(await found('funicular'), 0);
      await ada.api.post(`/v1/petitions/${id}/publish`);
      await eventually(async () => (await found('funicular')) === 1);
      await ada.api.patch(`/v1/petitions/${id}`, { title: 'Reopen the paternoster' });
      await eventually(async () => (await found('paternoster')) === 1);
      assert.equal(await found('funicular'), 0);
      await ada.api.patch(`/v1/petitions/${id}`, { tags: ['elevation'] });
      await eventually(async () => (await found('elevation')) === 1);
    });

    it('never shows what is private, unlisted, under review or deleted', async () => {
      const moderator = await logInAsAdmin(service);
      const hide: [string, (id: string) => Promise<unknown>][] = [
        ['private', (id) => ada.api.patch(`/v1/petitions/${id}`, { visibility: 'private' })],
        ['unlisted', (id) => ada.api.patch(`/v1/petitions/${id}`, { visibility: 'unlisted' })],
        ['deleted', (id) => ada.api.delete(`/v1/petitions/${id}`)],
        [
          'of a suspended creator',
          async () => {
            await moderator.api.post(`/v1/admin/users/${eve.id}/suspend`, { content: 'hide' });
            return { status: 200 };
          },
        ],
      ];
      const eve = await signUp(service, 'Eve');
      for (const [why, act] of hide) {
        const creator = why.startsWith('of') ? eve : ada;
        const { id } = await createPublished(creator, {
          title: 'Save the nightingales',
          description: filler,
        });
        await eventually(async () => (await found('nightingale')) === 1);
        await act(id);
        assert.equal(await found('nightingale'), 0, why);
        const suggested = await service.api.get('/v1/search/suggest?q=nightin');
        assert.deepEqual(suggested.body.data, [], why);
        await indexed();
        assert.equal((await search({ q: 'nightingale' })).total, 0, why);
      }
      await moderator.api.post(`/v1/admin/users/${eve.id}/unsuspend`);
      await eventually(async () => (await found('nightingale')) === 1);
    });
  });

  describe('odd input', () => {
    it('is answered without an error', async () => {
      const odd = [
        '"',
        '""',
        '-',
        '--',
        '!!!',
        '-"',
        "'",
        '\\',
        '& | !',
        ':*',
        "a'b:*",
        '%00',
        '(',
        '<->',
      ];
      for (const q of [
        ...odd,
        'a & !b',
        '-a',
        '\ud800',
        '"-"',
        'x'.repeat(200),
        '- -',
        '🌳',
        'ﬁ',
        '½',
      ]) {
        const { status } = await service.api.get(pathOf({ q }));
        assert.equal(status, 200, q);
        const suggested = await service.api.get(
          `/v1/search/suggest?${new URLSearchParams({ q: q.padEnd(3) }).toString()}`,
        );
        assert.equal(suggested.status, 200, q);
      }
      const nul = await service.api.get('/v1/search/petitions?q=%00oak%00');
      assert.equal(nul.status, 422);
      assert.equal((await search({ q: '"!?"' })).total, 0);
      assert.ok((await search({ q: ' ' })).total > 0);
    });

    it('is rejected with 422 or 400 if out of bounds', async () => {
      const refused = async (path: string) => (await service.api.get(path)).status;
      assert.equal(await refused(pathOf({ q: 'x'.repeat(201) })), 422);
      assert.equal(await refused(pathOf({ q: 'x'.repeat(10_000) })), 422);
      assert.equal(await refused(pathOf({ country: 'XX' })), 422);
      assert.equal(await refused(pathOf({ status: 'draft' })), 422);
      assert.equal(await refused(pathOf({ sort: 'best' })), 422);
      assert.equal(await refused(pathOf({ cursor: 'no' })), 400);
      const { body } = await service.api.get(pathOf({ sort: 'recent', limit: '1' }));
      assert.equal(await refused(pathOf({ cursor: body.pagination.next_cursor })), 400);
      assert.equal(await refused('/v1/search/suggest?q=a'), 422);
      assert.equal(await refused('/v1/search/suggest'), 422);
      assert.equal(await refused('/v1/search/suggest?q=abc&limit=11'), 422);
      assert.equal(await refused('/v1/petitions/similar'), 422);
    });
  });

  describe('titles', () => {
    before(async () => {
      const tokens = await createTokens(service, 3);
      for (const [title, signatures] of [
        ['Ban plastic bags in all markets', 1],
        ['Plastic straws must go', 3],
        ['Less plastic in the rivers', 2],
        ['Glass instead of plastics', 0],
      ] as const) {
        const { id } = await petition(title, { tags: ['rubbish'] });
        for (const token of tokens.slice(0, signatures)) {
          await service.api.as(token).post(`/v1/petitions/${id}/signatures`);
        }
      }
      await indexed();
    });

    it('are suggested by the prefix of any word, the best known first', async () => {
      for (const q of ['pl', 'plast', 'PLÁSTI', 'palstic']) {
        const { status, body } = await service.api.get(
          `/v1/search/suggest?limit=3&q=${encodeURIComponent(q)}`,
        );
        assert.equal(status, 200);
        assert.deepEqual(
          body.data.map(({ title }: { title: string }) => title),
          [
            'Plastic straws must go',
            'Less plastic in the rivers',
            'Ban plastic bags in all markets',
          ],
          q,
        );
        assert.deepEqual(Object.keys(body.data[0]), [
          'title',
          'language',
          'slug',
          'signature_count',
        ]);
      }
      const { body } = await service.api.get('/v1/search/suggest?q=plastic+ri');
      assert.equal(body.data.length, 1);
      // Tags are not titles.
      assert.deepEqual((await service.api.get('/v1/search/suggest?q=rubbi')).body.data, []);
    });

    it('of active petitions are offered as similar', async () => {
      const similar = async (title: string) => {
        const { status, body } = await service.api.get(
          `/v1/petitions/similar?${new URLSearchParams({ title }).toString()}`,
        );
        assert.equal(status, 200);
        assert.deepEqual(body.pagination, { next_cursor: null, has_more: false });
        return body.data.map((one: { title: string }) => one.title);
      };
      assert.equal(
        (await similar('Ban the plastic bag from markets'))[0],
        'Ban plastic bags in all markets',
      );
      assert.deepEqual(await similar('Build a new hospital'), []);
      assert.deepEqual(await similar('!'), []);
      const closed = await petition('Forbid leaf blowers on Sundays');
      await indexed();
      assert.deepEqual(await similar('forbid leaf blowers'), ['Forbid leaf blowers on Sundays']);
      await ada.api.post(`/v1/petitions/${closed.id}/close`);
      assert.deepEqual(await similar('forbid leaf blowers'), []);
    });
  });
});
