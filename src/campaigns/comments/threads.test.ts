import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  logInAsAdmin,
  createPublished,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { newId } from '../../platform/ids.ts';

interface CommentBody {
  id: string;
  parent_id: string | null;
  replies: CommentBody[];
}

/** Yields all comments of the threads with their level. */
function* flatten(
  comments: CommentBody[],
  level = 1,
): Generator<{ comment: CommentBody; level: number }> {
  for (const comment of comments) {
    yield { comment, level };
    yield* flatten(comment.replies, level + 1);
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
  /** Returns the ids of top-level comments from all pages; `afterPage` runs after each page. */
  const page = async (path: string, limit: number, afterPage: () => Promise<unknown>) => {
    const ids: string[] = [];
    let cursor = '';
    do {
      const { body } = await service.api.get(`${path}&limit=${limit}${cursor}`);
      ids.push(...body.data.map(({ id }: CommentBody) => id));
      cursor = body.pagination.has_more ? `&cursor=${body.pagination.next_cursor}` : '';
      await afterPage();
    } while (cursor);
    return ids;
  };
  /** Returns the number of statements that the work sends to the database. */
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

  it('return 1,000 comments, 40 levels deep, with as many queries as one comment', async () => {
    const small = await createPublished(person);
    await write(small, 'Only one');
    const large = await createPublished(person);
    const root = await write(large, '0');
    const tops = await Promise.all(
      Array.from({ length: 26 }, (_, chain) => write(large, `${chain} 2`, root)),
    );
    for (const [chain, top] of tops.entries())
      await insertReplies(root, chain === 25 ? 23 : 38, top);
    let shown: CommentBody[] = [];
    const forOne = await countStatements(() => service.api.get(listOf(small)));
    const forMany = await countStatements(async () => {
      shown = (await service.api.get(listOf(large))).body.data;
    });
    assert.equal(forMany, forOne);
    const all = [...flatten(shown)];
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
   * Inserts replies to the root of a thread by SQL, which is faster than requests. With `below`, inserts a
   * chain of replies under that comment.
   */
  const insertReplies = async (root: string, count: number, below?: string): Promise<string[]> => {
    const ids = Array.from({ length: count }, newId);
    const parents = ids.map((_, n) => (below === undefined ? root : (ids[n - 1] ?? below)));
    await service.ctx.db`
      insert into comments (id, petition_id, user_id, root_id, parent_id, body)
      select reply.id, top.petition_id, top.user_id, top.id, reply.parent_id, 'Filling'
      from comments top, unnest(${ids}::uuid[], ${parents}::uuid[]) as reply (id, parent_id)
      where top.id = ${root}`;
    await service.ctx.db`
      update comments set reply_count = reply_count + ${count}, last_reply_id = ${ids.at(-1)!}
      where id = ${root}`;
    return ids;
  };
  /** Returns the number of rows that the work reads from the database, outside of transactions. */
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
        // Called for complete statements only, not for fragments.
        // oxlint-disable-next-line unicorn/no-thenable
        query.then = (...callbacks) => then(counted).then(...callbacks);
        return query;
      },
    });
    await work().finally(() => (ctx.db = db));
    return count;
  };

  it('accept exactly 1,000 replies from concurrent requests', async () => {
    const petition = await createPublished(person);
    const root = await write(petition, 'root');
    const [reply, other] = await insertReplies(root, 999);
    const postReply = (parent_id: string) =>
      person.api.post(listOf(petition), { body: 'last', parent_id });
    const answers = await Promise.all([root, reply!, root, reply!].map(postReply));
    const refused = answers.filter(({ status }) => status !== 201);
    assert.deepEqual(
      refused.map(({ status, body }) => `${status} ${body.code}`),
      Array(3).fill('409 thread_full'),
    );
    const { body } = await service.api.get(listOf(petition));
    assert.equal([...flatten(body.data)].length, 1001);
    await write(petition, 'Another thread');
    assert.equal((await person.api.delete(`/v1/comments/${other!}`)).status, 204);
    await write(petition, 'There is room again', root);
  });

  it('end a page early if they are long, without gaps', async () => {
    const petition = await createPublished(person);
    const sizes = [0, 450, 500, 0, 450, 0];
    const ids: string[] = [];
    for (const size of sizes) {
      ids.push(await write(petition, 'root'));
      if (size > 0) await insertReplies(ids.at(-1)!, size);
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
          data.map(({ id }: CommentBody) => id),
          expected,
        );
        assert.ok([...flatten(data)].length <= 2000);
        assert.equal(pagination.has_more, expected === pages[0]);
        cursor = `&cursor=${pagination.next_cursor}`;
      }
    }
  });

  it('are read only below the requested comment, and only up to the maximum length', async () => {
    const petition = await createPublished(person);
    const root = await write(petition, 'root');
    const [leaf] = await insertReplies(root, 900);
    await write(petition, 'below', leaf);
    let edited: CommentBody | undefined;
    const rows = await countRows(async () => {
      const path = `/v1/comments/${leaf}`;
      edited = (await person.api.patch(path, { body: 'Changed' })).body.data;
      assert.deepEqual((await person.api.get(path)).body.data, edited);
    });
    assert.equal(edited!.replies.length, 1);
    assert.ok(rows < 50, `${rows} rows`);
    // Old threads can be longer than the limit.
    await insertReplies(root, 2000);
    for (const path of [listOf(petition), `/v1/comments/${root}`]) {
      const { data } = (await service.api.get(path)).body;
      assert.equal([...flatten([data].flat())].length, 1001);
    }
  });

  it('nest 100 levels, and put deeper replies into the last one', async () => {
    const petition = await createPublished(person);
    const ids = [await write(petition, '1')];
    for (let level = 2; level <= 130; level++) {
      ids.push(await write(petition, String(level), ids.at(-1)));
    }
    const { body } = await service.api.get(listOf(petition));
    const all = [...flatten(body.data)];
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
    assert.equal(Math.max(...[...flatten([below.body.data])].map(({ level }) => level)), 70);
  });

  it('are paged newest first while comments are added', async () => {
    const petition = await createPublished(person);
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

  it('are paged by number of replies while replies are added', async () => {
    const petition = await createPublished(person);
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
    // Moves threads that were not returned yet above the current position.
    const addReplies = () =>
      Promise.all([quiet, older, newer].map((id) => write(petition, 'up', id)));
    assert.deepEqual(await page(path, 2, addReplies), expected);
    assert.deepEqual(await page(path, 6, async () => {}), [quiet, newer, older, deep, wide, later]);
  });

  it('are sorted by the replies that everybody sees', async () => {
    const petition = await createPublished(person);
    const moderator = await logInAsAdmin(service);
    const first = await write(petition, 'First');
    const second = await write(petition, 'Second');
    const rude = await write(petition, 'rude', first);
    const order = async () => {
      const { body } = await service.api.get(`${listOf(petition)}?sort=popular`);
      return body.data.map(({ id }: CommentBody) => id);
    };
    assert.deepEqual(await order(), [first, second]);
    await moderator.api.post(`/v1/admin/comments/${rude}/hide`);
    assert.deepEqual(await order(), [second, first]);
    await moderator.api.post(`/v1/admin/comments/${rude}/unhide`);
    assert.deepEqual(await order(), [first, second]);
    await person.api.delete(`/v1/comments/${rude}`);
    assert.deepEqual(await order(), [second, first]);
  });

  it('are deleted with a petition that is erased with its creator', async () => {
    const creator = await signUp(service);
    const petition = await createPublished(creator);
    const parent = await write(petition, 'Soon gone', await write(petition, 'Soon gone'));
    await write(petition, 'Soon gone', parent);
    const erased = await creator.api.delete('/v1/users/me', { password: creator.password });
    assert.equal(erased.status, 204);
    assert.equal((await person.api.get(`/v1/comments/${parent}`)).status, 404);
    const rows = await service.ctx.db`select from comments where petition_id = ${petition.id}`;
    assert.equal(rows.length, 0);
  });

  it('stay consistent under concurrent replies, deletions and hiding', async () => {
    const petition = await createPublished(person);
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
      assert.ok(!row.deleted_at || row.answered, 'a placeholder without replies');
    }
    const { body } = await moderator.api.get(listOf(petition));
    assert.equal([...flatten(body.data)].length, rows.length);
  });
});
