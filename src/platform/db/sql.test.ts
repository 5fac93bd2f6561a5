import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSql, type Query } from './sql.ts';

const sql = createSql(() => Promise.reject(new Error('It runs.')));
const written = (query: Query) => {
  const { text, parameters } = query.statement();
  return [text, ...parameters];
};

describe('a statement', () => {
  it('passes values as parameters, with casts for known types', () => {
    const at = new Date(0);
    const bytes = Buffer.from('a');
    assert.deepEqual(
      written(
        sql`select ${1}, ${'a'}, ${null}, ${true}, ${at}, ${5n}, ${bytes}, ${[1, 2]}, ${[at]}`,
      ),
      [
        'select $1, $2, $3, $4::boolean, $5::timestamptz, $6::bigint, $7::bytea, $8, $9::timestamptz[]',
        1,
        'a',
        null,
        true,
        at,
        5n,
        bytes,
        [1, 2],
        [at],
      ],
    );
  });

  it('numbers the parameters of nested parts in order', () => {
    const parts = [sql`and b = ${2}`, sql`and c = ${3}`];
    assert.deepEqual(written(sql`select where a = ${1} ${parts} and ${sql`true`} and d = ${4}`), [
      'select where a = $1 and b = $2 and c = $3 and true and d = $4',
      1,
      2,
      3,
      4,
    ]);
  });

  it('quotes identifiers', () => {
    assert.deepEqual(
      written(sql`select ${sql('a."b')}, ${sql(['c', 'd'])} ${sql.unsafe('desc')}`),
      ['select "a"."""b", "c", "d" desc'],
    );
  });

  it('expands rows to columns and values', () => {
    assert.deepEqual(written(sql`insert into t ${sql([{ a: 1, b: sql.json({ c: 2 }) }])}`), [
      'insert into t ("a", "b") values ($1, $2::jsonb)',
      1,
      '{"c":2}',
    ]);
    assert.deepEqual(written(sql`update t set ${sql({ a: 1, b: null })} where c = ${3}`), [
      'update t set "a" = $1, "b" = $2 where c = $3',
      1,
      null,
      3,
    ]);
  });

  it('rejects an undefined parameter', () => {
    const missing = undefined as unknown as string;
    assert.throws(() => written(sql`select ${missing}`), /undefined, after: select/);
  });

  it('runs once, when it is first awaited', async () => {
    let runs = 0;
    const counting = createSql(async () => {
      runs += 1;
      return Object.assign([], { count: 0 });
    });
    const query = counting`select 1`;
    assert.equal(runs, 0);
    await Promise.all([query, query]);
    assert.equal(runs, 1);
  });
});
