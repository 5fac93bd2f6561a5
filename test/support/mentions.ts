import type { Service } from './service.ts';

/** Finds all tables, including those of the job queue, that contain one of the texts. */
export async function findMentions(service: Service, texts: string[]): Promise<string[]> {
  const db = service.ctx.pools.main;
  const tables = await db`
    select quote_ident(table_schema) || '.' || quote_ident(table_name) as name
    from information_schema.tables
    where table_schema in ('public', 'graphile_worker') and table_type = 'BASE TABLE'`;
  const found = [];
  for (const { name } of tables) {
    for (const text of texts) {
      const rows = await db`
        select from ${db.unsafe(name)} t where t::text ilike ${`%${text}%`} limit 1`;
      if (rows.length > 0) found.push(`${name}: ${text}`);
    }
  }
  return found;
}
