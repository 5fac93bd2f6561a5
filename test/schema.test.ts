import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { openPool } from '../src/platform/db.ts';
import { findSchemaSource, readSchema, schemaFile } from './schema/dump.ts';
import { createTestDatabase } from './support/database.ts';

const source = await findSchemaSource();
const skip = typeof source === 'string' && source;

describe('migrations/schema.sql', () => {
  it('is the schema after all migrations', { skip }, async () => {
    assert.ok(typeof source !== 'string');
    const [written, current] = [await readFile(schemaFile, 'utf8'), await readSchema(source)];
    const lines = current.split('\n');
    const at = written.split('\n').findIndex((line, index) => line !== lines[index]);
    assert.ok(
      written === current,
      `migrations/schema.sql differs from the migrations, first at line ${at + 1}. Run \`npm run schema\`.`,
    );
  });
});

describe('the schema', () => {
  it('has a comment on every table and view', async () => {
    await using database = await createTestDatabase();
    const db = openPool(database.url, { name: 'test', max: 1 });
    const without = await db.column<string>`
      select relname from pg_class
      where relkind in ('r', 'v') and relnamespace = 'public'::regnamespace
        and obj_description(oid, 'pg_class') is null
      order by relname`;
    await db.end();
    assert.deepEqual(without, [], 'add `comment on table …` to the migration');
  });

  it('lets processes of the version before use the old names', async () => {
    await using database = await createTestDatabase();
    const db = openPool(database.url, { name: 'test', max: 1 });
    const id = Buffer.alloc(32, 1);
    const begin = () => db`
      insert into settled_ahead (id) values (${id})
      on conflict (id) do update set begun_at = now()
        where not settled_ahead.is_settled
          and settled_ahead.begun_at < now() - interval '15 seconds'
      returning id`;
    assert.equal((await begin()).length, 1);
    assert.equal((await begin()).length, 0);
    await db`update settled_ahead set is_settled = true where id = ${id}`;
    assert.deepEqual(await db.column`select is_done from idempotent_checks`, [true]);
    await db`delete from settled_ahead where begun_at < now() + interval '1 hour'`;
    assert.equal((await db`select from idempotent_checks`).length, 0);
    const [row] = await db`select told_in() >= pg_current_xact_id() as is_current`;
    assert.equal(row!.is_current, true);
    await db.end();
  });
});
