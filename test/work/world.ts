import { newId } from '../../src/platform/ids.ts';
import { tileWidth } from '../../src/platform/transparency/tiles.ts';
import { readState } from '../../src/reach/transparency-log/state.ts';
import { eventually } from '../support/eventually.ts';
import { Browser, formOf } from '../support/browser.ts';
import { makeSignEntries, openTestLog, writeLog } from '../support/log.ts';
import { makePageWorld, type PageWorld } from '../support/page-world.ts';
import { createUserIds } from '../support/people.ts';
import type { Service } from '../support/service.ts';

/** More than a page of any list has. */
const many = 130;

/** Markdown of the longest text that people may send, with as many marks as fit. */
export const longMarkdown = (length: number): string =>
  '**a** _b_ [c](https://example.org/d) ![e](https://example.org/f.png)\n> - g\n\n1. h\n\n'
    .repeat(Math.ceil(length / 84))
    .slice(0, length - 1)
    .concat('.');

/** Words that no other petition has, so that each document is large. */
const longWords = (length: number): string =>
  Array.from({ length: length / 6 }, (_, n) => (n * 7919).toString(36).padStart(5, 'w'))
    .join(' ')
    .slice(0, length);

export interface LargeWorld extends PageWorld {
  /** A draft of a stranger, and the cookie of their browser. */
  strangersDraft: { path: string; cookie: string };
  /** Index of the petition's first entry in the public log. Each next one is in the next bundle. */
  firstEntry: number;
}

/** Content of every kind, as long as it may be, and more of it than a page shows. */
export async function makeLargeWorld(service: Service): Promise<LargeWorld> {
  const { db } = service.ctx;
  const worker = await service.app.startWorker(service.databaseUrl);
  const world = await makePageWorld(service);
  const { petitionId: id, person } = world;
  const userIds = await createUserIds(service, many);
  await db`
    insert into petitions (id, slug, creator_id, title, description, status, published_at, category_id, tags, tag_keys,
      signature_goal, location_city, location_country, org_id, language, signature_count, imported_signature_count)
    select new.id, 'large-' || n, u.id, rpad('Large river ' || n || ' ', 199, 'title words '), ${longWords(50_000)},
      'active', now(), c.id, tags.shown, tags.shown, 1000000, rpad('', 100, 'city '), 'GB', o.id, 'en', n, n
    from unnest(${userIds.map(() => newId())}::uuid[]) with ordinality new (id, n),
      (select id from users where slug = ${person}) u,
      (select id from categories order by slug limit 1) c,
      (select array_agg(rpad('tag ' || m || ' ', 50, 'x')) as shown from generate_series(1, 10) m) tags,
      (select id from organizations where slug = ${world.organization}) o`;
  await db`update petitions set description = ${longMarkdown(50_000)} where id = ${id}`;
  await db`
    insert into petition_versions (petition_id, version, title, description)
    select ${id}, n, rpad('', 200, 'title ' || n), ${longWords(49_000)} || rpad('', 900, ' changed ' || n)
    from generate_series(2, ${many}) n`;
  await db`
    insert into updates (id, petition_id, title, body)
    select uuid_v7(), ${id}, rpad('', 200, 'title '), ${longMarkdown(10_000)} from generate_series(1, ${many})`;
  await db`
    insert into signatures (id, petition_id, user_id, version, is_anonymous, display_location, comment)
    select uuid_v7(), ${id}, u, 1, false, rpad('', 200, 'place '), rpad('', 500, 'reason ')
    from unnest(${userIds}::uuid[]) u`;
  await db`
    insert into sharers (petition_id, user_id, share_count, since)
    select ${id}, u, n, now() from unnest(${userIds}::uuid[]) with ordinality one (u, n)`;
  const makerIds = userIds.map(() => newId());
  await db`
    insert into decision_makers (id, petition_id, name, title, email)
    select m, ${id}, rpad('', 200, 'name '), rpad('', 200, 'title '), m || '@example.org'
    from unnest(${makerIds}::uuid[]) m`;
  await db`
    insert into decision_maker_responses (id, petition_id, maker_id, body, status, published_at)
    select uuid_v7(), ${id}, m, ${longMarkdown(10_000)}, 'supportive', now() from unnest(${makerIds}::uuid[]) m`;
  await db`
    insert into organizations (id, name, slug, description, verified)
    select uuid_v7(), rpad('Large ' || n, 100, ' name'), 'large-' || n, ${longMarkdown(1000)}, true
    from generate_series(1, ${many}) n`;
  await addComments(service, { petitionId: id, userIds });
  await eventually(async () => !(await db.exists`select from search_changes`), 120_000);
  await worker.stop();
  await fillSitemap(service);
  const firstEntry = await scatterEntries(service, id);
  await db`vacuum analyze`;
  return { ...world, firstEntry, strangersDraft: await writeAsStranger(service) };
}

/** Pages of 100 entries in as many bundles: more bundles than are kept in memory. */
export const logPages = 5;

/** Writes a log of which each entry of the petition is in another bundle. Returns the index of the first one. */
async function scatterEntries({ ctx }: Service, petitionId: string): Promise<number> {
  const { db } = ctx;
  await writeLog(ctx);
  const log = await openTestLog(ctx);
  const first = (await readState(db))!.edge.size;
  for (let n = 0; n < logPages; n++) await log.append(100 * tileWidth, makeSignEntries);
  await db`
    delete from transparency_entry_lists l using transparency_petitions t
    where t.number = l.petition and t.petition_id = ${petitionId}`;
  await db`
    insert into transparency_entry_lists (petition, last, indexes)
    select t.number, i, array[i]
    from transparency_petitions t,
      lateral (
        select ${first} + n * ${tileWidth}::bigint as i
        from generate_series(0, ${100 * logPages - 1}) n
      ) entry
    where t.petition_id = ${petitionId}`;
  await writeLog(ctx);
  return first;
}

/** Writes the longest draft without an account. */
async function writeAsStranger({ api }: Service): Promise<LargeWorld['strangersDraft']> {
  const browser = new Browser(api);
  const page = await browser.open('/start');
  const { action: path } = formOf(page);
  const title = 'A draft of a stranger';
  await browser.submit(page, { title, description: longMarkdown(50_000), go: 'next' });
  return { path, cookie: browser.cookies };
}

/** A whole part of petitions, which search does not know. */
async function fillSitemap({ ctx: { db } }: Service): Promise<void> {
  await db`alter table petitions disable trigger user`;
  await db`
    insert into petitions (id, slug, title, description, status, published_at)
    select uuid_v7(), 'small-' || n || rpad('', 60, '-address'), 'A small petition', rpad('', 60, 'words '), 'active',
      now() - n * interval '1 day'
    from generate_series(1, 4000) n`;
  await db`alter table petitions enable trigger user`;
}

/** Threads that each have more replies than a page shows. */
async function addComments(
  { ctx: { db } }: Service,
  { petitionId, userIds }: { petitionId: string; userIds: string[] },
): Promise<void> {
  const roots = Array.from({ length: many }, newId);
  await db`
    insert into comments (id, petition_id, user_id, root_id, body)
    select c, ${petitionId}, ${userIds[0]!}, c, rpad('', 2000, 'words ') from unnest(${roots}::uuid[]) c`;
  await db`
    insert into comments (id, petition_id, user_id, root_id, parent_id, body)
    select uuid_v7(), ${petitionId}, u, c, c, rpad('', 2000, 'words ')
    from unnest(${roots}::uuid[]) c, unnest(${userIds}::uuid[]) u`;
  await db`update comments set reply_count = ${many} where id = any(${roots}::uuid[])`;
}
