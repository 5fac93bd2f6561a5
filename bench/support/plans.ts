import { listPetitions } from '../../src/campaigns/petitions/list.ts';
import type { PetitionListQuery } from '../../src/campaigns/petitions/schema.ts';
import { listSignatures } from '../../src/campaigns/signatures/signatures.ts';
import { createContext } from '../../src/context.ts';
import type { Context } from '../../src/platform/context.ts';
import { openPool, type Pool } from '../../src/platform/db.ts';
import { createSql, type Statement } from '../../src/platform/db/sql.ts';
import { serviceConfig } from './config.ts';

/** Lists whose pages can be read. */
export type PageQuery =
  | { petitions: PetitionListQuery }
  | { signaturesOf: string; query: { cursor?: string; limit?: number } };

/** Reads the page after the cursor. */
export function withCursor(page: PageQuery, cursor: string | undefined): PageQuery {
  if (cursor === undefined) return page;
  return 'petitions' in page
    ? { petitions: { ...page.petitions, cursor } }
    : { ...page, query: { ...page.query, cursor } };
}

/** Captures the statement by which the service reads a page. */
export async function statementOf(databaseUrl: string, page: PageQuery): Promise<Statement> {
  const statements: Statement[] = [];
  await using ctx = await createContext(serviceConfig(databaseUrl), databaseUrl);
  const pool = openPool(databaseUrl, { name: 'bench', max: 1 });
  const run = (statement: Statement) => {
    statements.push(statement);
    return pool.run(statement);
  };
  const heard: Pool = Object.assign(createSql(run), pool, { run });
  const listening: Context = {
    ...ctx,
    db: heard,
    pools: { ...ctx.pools, main: heard, replica: heard },
  };
  if ('petitions' in page) await listPetitions(listening, null, page.petitions);
  else await listSignatures(listening, null, page.signaturesOf, page.query);
  await heard.end();
  // For trending, the first statement reads promoted petitions.
  return statements.findLast(({ text }) => text.includes('order by') && text.includes('limit'))!;
}

export interface Plan {
  text: string;
  /** Indexes used, in order. */
  indexes: string[];
  /** Whether it sorts, or scans a whole table. */
  wasteful: boolean;
  /** Database pages read. */
  buffers: number;
  milliseconds: number;
}

/** Returns the generic plan of a statement, which a running service uses. */
export function planOf(db: Pool, { text, parameters }: Statement): Promise<Plan> {
  return db.begin(async (connection) => {
    await connection.unsafe(`prepare listed as ${text}`);
    const values = parameters.map((value) => literal(value)).join(', ');
    const execute = `execute listed${values && `(${values})`}`;
    for (let n = 0; n < 8; n += 1) await connection.unsafe(execute);
    const rows = await connection.unsafe(`explain (analyze, buffers) ${execute}`);
    await connection.unsafe('deallocate listed');
    return read(rows.map((row) => String(row['QUERY PLAN'])).join('\n'));
  });
}

function read(text: string): Plan {
  const buffers = [.../Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/.exec(text)!].slice(1);
  return {
    text,
    indexes: [...text.matchAll(/(?:using|Bitmap Index Scan on) (\w+)/g)].map(([, name]) => name!),
    wasteful: /Seq Scan on (?!categories)|Sort Key/.test(text),
    buffers: buffers.reduce((sum, pages) => sum + Number(pages ?? 0), 0),
    milliseconds: Number(/Execution Time: ([\d.]+)/.exec(text)![1]),
  };
}

function literal(value: unknown): string {
  const text = value instanceof Date ? value.toISOString() : String(value);
  return `'${text.replaceAll("'", "''")}'`;
}
