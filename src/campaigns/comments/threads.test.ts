import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { logInAsAdmin, published, signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { newId } from '../../platform/ids.ts';

interface Shown {
  id: string;
  parent_id: string | null;
  replies: Shown[];
}

/** Every comment of the threads, with the level at which it stands. */
function* walk(comments: Shown[], level = 1): Generator<{ comment: Shown; level: number }> {
  for (const comment of comments) {
    yield { comment, level };
    yield* walk(comment.replies, level + 1);
  }
}

describe('threads', () => {
  let service: Service;
  let person: Person;
  before(async () => {
    service = await startService();
    person = await signUp(service);
  });
  after(() => service[Symbol.asyncDispose]());

  const listOf = ({ id }: { id: string }) => `/v1/petitions/${id}/comments`;
  const write = async (
    petition: { id: string },
    body: string,
    parent?: string,
  ): Promise<string> => {
    const input = { body, ...(parent && { parent_id: parent }) };
    const answer = await person.api.post(listOf(petition), input);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.data.id;
  };
  /** The ids of top-level comments, page by page; `between` runs after each page. */
  const page = async (path: string, limit: number, between: () => Promise<unknown>) => {
    const ids: string[] = [];
    let cursor = '';
    do {
      const { body } = await service.api.get(`${path}&limit=${limit}${cursor}`);
      ids.push(...body.data.map(({ id }: Shown) => id));
      cursor = body.pagination.has_more ? `&cursor=${body.pagination.next_cursor}` : '';
      await between();
    } while (cursor);
    return ids;
  };
  /** Statements that are sent to the database while the work is done. */
  const countStatements = async (work: () => Promise<unknown>): Promise<number> => {
    const { ctx } = service;
    const { db } = ctx;
    let count = 0;
    ctx.db = new Proxy(db, {
      apply: (target, self, args) => {
        count += 1;
        return Reflect.apply(target, self, args);
      },
    });
    await work().finally(() => (ctx.db = db));
    return count;
  };

  it('shows 1,000 comments, 40 deep, in one page with as many queries as one comment', async () => {
    const small = await published(person);
    await write(small, 'Only one');
    const large = await published(person);
    const root = await write(large, '0');
    const tops = await Promise.all(
      Array.from({ length: 26 }, (_, chain) => write(large, `${chain} 2`, root)),
    );
    for (const [chain, top] of tops.entries()) await fill(root, chain === 25 ? 23 : 38, top);
    let shown: Shown[] = [];
    const forOne = await countStatements(() => service.api.get(listOf(small)));
    const forMany = await countStatements(async () => {
      shown = (await service.api.get(listOf(large))).body.data;
    });
    assert.equal(forMany, forOne);
    const all = [...walk(shown)];
    assert.equal(all.length, 1000);
    assert.equal(Math.max(...all.map(({ level }) => level)), 40);
    for (const { comment } of all) {
      for (const reply of comment.replies) assert.equal(reply.parent_id, comment.id);
      const ids = comment.replies.map(({ id }) => id);
      assert.deepEqual(ids, ids.toSorted());
    }
    const [row] = await service.ctx.db`select reply_count from comments where id = ${root}`;
    assert.equal(row!.reply_count, 999);
  });

  /**
   * Adds as many replies to a thread, without the time that calls take: to its root, or one below the other where it is
   * said below which comment.
   */
  const fill = async (root: string, howMany: number, below?: string): Promise<string[]> => {
    const ids = Array.from({ length: howMany }, newId);
    const parents = ids.map((_, n) => (below === undefined ? root : (ids[n - 1] ?? below)));
    await service.ctx.db`
      insert into comments (id, petition_id, user_id, root_id, parent_id, body)
      select reply.id, top.petition_id, top.user_id, top.id, reply.parent_id, 'Filling'
      from comments top, unnest(${ids}::uuid[], ${parents}::uuid[]) as reply (id, parent_id)
      where top.id = ${root}`;
    await service.ctx.db`
      update comments set reply_count = reply_count + ${howMany}, last_reply_id = ${ids.at(-1)!}
      where id = ${root}`;
    return ids;
  };
  /** Rows that the database gives while the work is done, outside of transactions. */
  const countRows = async (work: () => Promise<unknown>): Promise<number> => {
    const { ctx } = service;
    const { db } = ctx;
    let count = 0;
    ctx.db = new Proxy(db, {
      apply(target, self, args) {
        const query: Promise<unknown[]> = Reflect.apply(target, self, args);
        const then = query.then.bind(query);
        const counted = (rows: unknown[]) => {
          count += rows.length;
          return rows;
        };
        // Called for what is sent, and for no part of it.
        // oxlint-disable-next-line unicorn/no-thenable
        query.then = (...callbacks) => then(counted).then(...callbacks);
        return query;
      },
    });
    await work().finally(() => (ctx.db = db));
    return count;
  };

  it('takes 1,000 replies, whoever answers at once', async () => {
    const petition = await published(person);
    const root = await write(petition, 'root');
    const [reply, other] = await fill(root, 999);
    const answer = (parent_id: string) =>
      person.api.post(listOf(petition), { body: 'last', parent_id });
    const answers = await Promise.all([root, reply!, root, reply!].map(answer));
    const refused = answers.filter(({ status }) => status !== 201);
    assert.deepEqual(
      refused.map(({ status, body }) => `${status} ${body.code}`),
      Array(3).fill('409 thread_full'),
    );
    const { body } = await service.api.get(listOf(petition));
    assert.equal([...walk(body.data)].length, 1001);
    await write(petition, 'Another thread');
    assert.equal((await person.api.delete(`/v1/comments/${other!}`)).status, 204);
    await write(petition, 'There is room again', root);
  });

  it('ends a page early where threads are long, and passes over none', async () => {
    const petition = await published(person);
    const sizes = [0, 900, 1000, 0, 900, 0];
    const ids: string[] = [];
    for (const size of sizes) {
      ids.push(await write(petition, 'root'));
      if (size > 0) await fill(ids.at(-1)!, size);
    }
    const [a, b, c, d, e, f] = ids;
    for (const [sort, pages] of [
      [
        'recent',
        [
          [f, e, d, c],
          [b, a],
        ],
      ],
      [
        'popular',
        [
          [c, e],
          [b, f, d, a],
        ],
      ],
    ] as const) {
      let cursor = '';
      for (const expected of pages) {
        const shown = await service.api.get(`${listOf(petition)}?sort=${sort}&limit=10${cursor}`);
        const { data, pagination } = shown.body;
        assert.deepEqual(
          data.map(({ id }: Shown) => id),
          expected,
        );
        assert.ok([...walk(data)].length <= 2000);
        assert.equal(pagination.has_more, expected === pages[0]);
        cursor = `&cursor=${pagination.next_cursor}`;
      }
    }
  });

  it('reads of one comment what is below it, and of an endless thread no more than others have', async () => {
    const petition = await published(person);
    const root = await write(petition, 'root');
    const [leaf] = await fill(root, 900);
    await write(petition, 'below', leaf);
    let edited: Shown | undefined;
    const rows = await countRows(async () => {
      const path = `/v1/comments/${leaf}`;
      edited = (await person.api.patch(path, { body: 'Changed' })).body.data;
      assert.deepEqual((await person.api.get(path)).body.data, edited);
    });
    assert.equal(edited!.replies.length, 1);
    assert.ok(rows < 50, `${rows} rows`);
    // As there can be from before threads had an end.
    await fill(root, 2000);
    for (const path of [listOf(petition), `/v1/comments/${root}`]) {
      const { data } = (await service.api.get(path)).body;
      assert.equal([...walk([data].flat())].length, 1001);
    }
  });

  it('nests 100 levels; what is deeper stands in the last, and knows its parent', async () => {
    const petition = await published(person);
    const ids = [await write(petition, '1')];
    for (let level = 2; level <= 130; level++) {
      ids.push(await write(petition, String(level), ids.at(-1)));
    }
    const { body } = await service.api.get(listOf(petition));
    const all = [...walk(body.data)];
    assert.deepEqual(
      all.map(({ comment }) => comment.id),
      ids,
    );
    assert.deepEqual(
      all.map(({ comment }) => comment.parent_id),
      [null, ...ids.slice(0, -1)],
    );
    assert.equal(Math.max(...all.map(({ level }) => level)), 100);
    const below = await service.api.get(`/v1/comments/${ids[60]}`);
    assert.equal(Math.max(...[...walk([below.body.data])].map(({ level }) => level)), 70);
  });

  it('pages newest first, while comments are added', async () => {
    const petition = await published(person);
    const ids: string[] = [];
    for (let n = 0; n < 7; n++) ids.push(await write(petition, `${n}`));
    const seen = await page(`${listOf(petition)}?sort=recent`, 2, () => write(petition, 'more'));
    assert.deepEqual(seen, ids.toReversed());
    for (const wrong of ['popular', 'recent']) {
      const other = wrong === 'recent' ? 'popular' : 'recent';
      const { body } = await service.api.get(`${listOf(petition)}?sort=${wrong}&limit=1`);
      const cursor = body.pagination.next_cursor;
      const refused = await service.api.get(`${listOf(petition)}?sort=${other}&cursor=${cursor}`);
      assert.equal(refused.status, 400);
    }
  });

  it('pages most answered first, by the whole thread, while answers come', async () => {
    const petition = await published(person);
    const ids: string[] = [];
    for (let n = 0; n < 6; n++) ids.push(await write(petition, `${n}`));
    const [quiet, deep, wide, later, older, newer] = ids as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    let parent = deep;
    for (let n = 0; n < 3; n++) parent = await write(petition, 'deeper', parent);
    for (let n = 0; n < 2; n++) await write(petition, 'wider', wide);
    for (const id of [quiet, later]) await write(petition, 'one', id);
    const expected = [deep, wide, later, quiet, newer, older];
    const path = `${listOf(petition)}?sort=popular`;
    // Lifts threads that have not been shown yet above the place that was reached.
    const lift = () => Promise.all([quiet, older, newer].map((id) => write(petition, 'up', id)));
    assert.deepEqual(await page(path, 2, lift), expected);
    assert.deepEqual(await page(path, 6, async () => {}), [quiet, newer, older, deep, wide, later]);
  });

  it('counts for popularity only the replies that everybody sees', async () => {
    const petition = await published(person);
    const moderator = await logInAsAdmin(service);
    const first = await write(petition, 'First');
    const second = await write(petition, 'Second');
    const rude = await write(petition, 'rude', first);
    const order = async () => {
      const { body } = await service.api.get(`${listOf(petition)}?sort=popular`);
      return body.data.map(({ id }: Shown) => id);
    };
    assert.deepEqual(await order(), [first, second]);
    await moderator.api.post(`/v1/admin/comments/${rude}/hide`);
    assert.deepEqual(await order(), [second, first]);
    await moderator.api.post(`/v1/admin/comments/${rude}/unhide`);
    assert.deepEqual(await order(), [first, second]);
    await person.api.delete(`/v1/comments/${rude}`);
    assert.deepEqual(await order(), [second, first]);
  });

  it('goes with a petition that goes with its creator', async () => {
    const creator = await signUp(service);
    const petition = await published(creator);
    const parent = await write(petition, 'Soon gone', await write(petition, 'Soon gone'));
    await write(petition, 'Soon gone', parent);
    const erased = await creator.api.delete('/v1/users/me', { password: creator.password });
    assert.equal(erased.status, 204);
    assert.equal((await person.api.get(`/v1/comments/${parent}`)).status, 404);
    const rows = await service.ctx.db`select from comments where petition_id = ${petition.id}`;
    assert.equal(rows.length, 0);
  });

  it('loses nothing where people answer, delete and hide at once', async () => {
    const petition = await published(person);
    const moderator = await logInAsAdmin(service);
    const known = [await write(petition, 'root'), await write(petition, 'root')];
    const stored = new Set(known);
    const gone = new Set<string>();
    const statuses = new Set<number>();
    const pick = () => known[Math.floor(Math.random() * known.length)]!;
    const acts = [
      async () => {
        const body = { body: 'reply', parent_id: pick() };
        const answer = await person.api.post(listOf(petition), body);
        if (answer.status !== 201) return statuses.add(answer.status);
        known.push(answer.body.data.id);
        return stored.add(answer.body.data.id);
      },
      async () => {
        const id = pick();
        const { status } = await person.api.delete(`/v1/comments/${id}`);
        if (status === 204) gone.add(id);
        statuses.add(status);
      },
      async () => {
        const act = Math.random() < 0.5 ? 'hide' : 'unhide';
        statuses.add((await moderator.api.post(`/v1/admin/comments/${pick()}/${act}`)).status);
      },
    ];
    const worker = async () => {
      for (let n = 0; n < 60; n++) await acts[[0, 0, 0, 1, 1, 2][n % 6]!]!();
    };
    await Promise.all(Array.from({ length: 12 }, worker));
    assert.ok([...statuses].every((status) => [200, 204, 404, 422].includes(status)));

    const { db } = service.ctx;
    const rows = await db`
      select c.id, c.deleted_at, c.reply_count, c.parent_id,
        exists (select from comments r where r.parent_id = c.id) as answered,
        (select count(*)::integer from comments r where r.root_id = c.id and r.parent_id is not null
          and r.deleted_at is null and not r.is_hidden) as recount
      from comments c where c.petition_id = ${petition.id}`;
    const living = rows.filter((row) => !row.deleted_at).map((row) => String(row.id));
    assert.deepEqual(living.toSorted(), [...stored].filter((id) => !gone.has(id)).toSorted());
    for (const row of rows) {
      if (!row.parent_id) assert.equal(row.reply_count, row.recount);
      assert.ok(!row.deleted_at || row.answered, 'a place holder without replies');
    }
    const { body } = await moderator.api.get(listOf(petition));
    assert.equal([...walk(body.data)].length, rows.length);
  });
});
