import { openPool } from '../src/platform/db.ts';
import { createDatabase } from '../bench/support/database.ts';
import { createPetitions, createUsers } from '../bench/support/people.ts';
import { insertGroup } from '../src/campaigns/signatures/queries.ts';
import { newId } from '../src/platform/ids.ts';
const [variant, N, seconds, ...sizes] = [
  process.argv[2]!,
  +process.argv[3]!,
  +process.argv[4]!,
  ...process.argv.slice(5),
] as [string, number, number, ...string[]];
await using database = await createDatabase();
const { db, url } = database;
if (variant !== 'base')
  await db.unsafe(
    'drop index petitions_popular; drop index petitions_trending; alter table petitions set (fillfactor = 50)',
  );
const users = await createUsers(db, 100000);
const petitions = (await createPetitions(db, users[0]!, N)).map((p) => p.id);
await db.unsafe('analyze');
for (const size of sizes) {
  const [G, C] = size.split('x').map(Number) as [number, number];
  const pool = openPool(url, { name: 'x', max: C });
  let u = 0,
    done = 0,
    groups = 0;
  const lat: number[] = [];
  const worker = async (until: number) => {
    while (Date.now() < until) {
      const requests = Array.from({ length: G }, () => ({
        id: newId(),
        petitionId: petitions[Math.floor(Math.random() * N)]!,
        userId: users[u++ % users.length]!,
        isAnonymous: false,
        comment: null,
        displayLocation: null,
        place: 'GB',
        source: 'direct',
        shareId: null,
        hasCode: false,
        origin: '123',
        country: 'GB',
        device: 'p' as never,
        keyId: undefined,
      }));
      const t = performance.now();
      const out = await insertGroup(pool, requests, false);
      lat.push(performance.now() - t);
      done += out.filter((o) => o.verdict === 'signed').length;
      groups++;
    }
  };
  await Promise.all(Array.from({ length: C }, () => worker(Date.now() + 800)));
  done = groups = 0;
  lat.length = 0;
  const pg = async () => {
    const fs = await import('node:fs');
    let t = 0;
    for (const d of fs.readdirSync('/proc'))
      if (/^\d+$/.test(d))
        try {
          const st = fs.readFileSync(`/proc/${d}/stat`, 'utf8');
          if (st.includes('(postgres)')) {
            const f = st.slice(st.indexOf(')') + 2).split(' ');
            t += +f[11]! + +f[12]!;
          }
        } catch {}
    return t * 10;
  };
  const c0 = await pg(),
    n0 = process.cpuUsage();
  const t0 = Date.now();
  await Promise.all(Array.from({ length: C }, () => worker(Date.now() + seconds * 1000)));
  const n1 = process.cpuUsage(n0);
  lat.sort((a, b) => a - b);
  console.log(
    variant,
    N,
    size,
    'sig/s',
    Math.round((done * 1000) / (Date.now() - t0)),
    'groups/s',
    Math.round((groups * 1000) / (Date.now() - t0)),
    'p50',
    lat[lat.length >> 1]!.toFixed(1),
    'pg cpu us/sig',
    Math.round((((await pg()) - c0) * 1000) / done),
    'pg us/group',
    Math.round((((await pg()) - c0) * 1000) / groups),
    'node us/sig',
    Math.round((n1.user + n1.system) / done),
  );
  await pool.end();
}
