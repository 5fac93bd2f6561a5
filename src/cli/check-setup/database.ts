import type { Config } from '../../config.ts';
import { openPool, type Pool } from '../../platform/db.ts';
import { migrationNames } from '../../platform/migrate.ts';
import { note, ok, wrong, type Finding } from './finding.ts';

/** The oldest version of PostgreSQL that works. */
const oldestVersion = 15;
/** Beyond it, links expire early or late and tokens of other machines look as if they came from the future. */
const maxClockDifferenceMs = 2000;

/** Looks at the database of DATABASE_URL: whether it is reached, what it is, and what its role may do. */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  const { databaseUrl, databaseDirectUrl } = config;
  if (!databaseUrl) {
    return [
      note(
        'database',
        'DATABASE_URL is not set: an embedded PostgreSQL in DATA_DIR is used, for one machine (docs/operating.md, The database).',
      ),
    ];
  }
  const db = openPool(databaseDirectUrl ?? databaseUrl, { name: 'check-setup', max: 1 });
  try {
    return [...(await checkServer(db)), ...(await checkRights(db)), await checkMigrations(db)];
  } finally {
    await db.end({ timeout: 1 });
  }
}

async function checkServer(db: Pool): Promise<Finding[]> {
  const asked = Date.now();
  const row = await db.one<{
    version: string;
    number: number;
    encoding: string;
    zone: string;
    now: Date;
    standby: boolean;
  }>`
    select current_setting('server_version') as version,
      current_setting('server_version_num')::int as number,
      current_setting('server_encoding') as encoding, current_setting('TimeZone') as zone,
      clock_timestamp() as now, pg_is_in_recovery() as standby`;
  const between = (asked + Date.now()) / 2;
  const differenceMs = Math.abs(row.now.getTime() - between);
  const seconds = (differenceMs / 1000).toFixed(1);
  return [
    row.number >= oldestVersion * 10_000
      ? ok('database', `PostgreSQL ${row.version}`)
      : wrong(
          'database',
          `PostgreSQL ${row.version} is too old: ${oldestVersion} or later is needed.`,
        ),
    row.encoding === 'UTF8'
      ? ok('encoding', row.encoding)
      : wrong('encoding', `${row.encoding} lacks most characters: make a database with UTF8.`),
    ok('time zone', `${row.zone}: times are stored and shown in UTC whatever it is.`),
    differenceMs <= maxClockDifferenceMs
      ? ok('clock', `${seconds} s from that of the database`)
      : wrong('clock', `It is ${seconds} s from that of the database: use NTP on both machines.`),
    ...(row.standby ? [wrong('database', 'This server only reads: name the primary.')] : []),
  ];
}

async function checkRights(db: Pool): Promise<Finding[]> {
  const row = await db.one<{ name: string; user: string; schemas: boolean; tables: boolean }>`
    select current_database() as name, current_user as "user",
      has_database_privilege(current_database(), 'create') as schemas,
      has_schema_privilege('public', 'create') as tables`;
  const { name, user, schemas, tables } = row;
  if (schemas && tables) return [ok('rights', `${user} may make what the service needs.`)];
  const grants = [
    !schemas && `grant create on database ${name} to ${user};`,
    !tables && `grant create on schema public to ${user};`,
  ];
  return [wrong('rights', `${user} may not make tables: ${grants.filter(Boolean).join(' ')}`)];
}

async function checkMigrations(db: Pool): Promise<Finding> {
  const row = await db.one`select to_regclass('public.migrations') is not null as there`;
  if (!row.there) return note('migrations', 'The database is new: the first start fills it.');
  const applied = new Set(await db.column<string>`select name from migrations`);
  const known = await migrationNames();
  const missing = known.filter((one) => !applied.has(one)).length;
  const unknown = [...applied].filter((one) => !known.includes(one)).length;
  if (unknown > 0) {
    return wrong(
      'migrations',
      `The database has ${unknown} migrations that this version lacks: a newer version was here.`,
    );
  }
  return missing > 0
    ? note('migrations', `Missing: ${missing}. The next start applies them.`)
    : ok('migrations', `all ${known.length}`);
}
