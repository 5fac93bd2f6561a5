import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  cp,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPool, type Db, type Row } from './db.ts';
import { startEmbeddedPostgres } from './embedded-postgres.ts';
import { findPackage, prepareBinaries } from './embedded-postgres/binaries.ts';
import { isAlive } from './embedded-postgres/places.ts';

const isRoot = process.getuid?.() === 0;
const quick = { fsync: 'off', shared_buffers: '16MB', max_connections: '20' };
const start = (dataDir: string, log?: (line: string) => void) =>
  startEmbeddedPostgres({ dataDir, settings: quick, ...(log && { log }) });

void test('a fresh start makes a database with the extensions and the case folding that search needs', async () => {
  await using dir = await folder();
  const server = await start(dir.path);
  const sql = openPool(server.url, { name: 'test', max: 1 });
  await sql`create extension unaccent`;
  await sql`create extension pg_trgm`;
  await sql`create extension citext`;
  const [row] = await sql`
    select lower('ÉLAN ŁÓDŹ ПРИВЕТ') as lower, unaccent('Łódź') as plain,
      'ÉLAN'::citext = 'élan'::citext as same, cardinality(show_trgm('привет')) as trigrams,
      to_tsvector('simple', '“Élan” — naïve')::text as words`;
  const [role] = await sql`select rolsuper, rolcreatedb from pg_roles where rolname = current_user`;
  await sql.end();
  await server.stop();
  assert.deepEqual(
    { ...row },
    {
      lower: 'élan łódź привет',
      plain: 'Lodz',
      same: true,
      trigrams: 7,
      words: "'naïve':2 'élan':1",
    },
  );
  assert.deepEqual({ ...role }, { rolsuper: false, rolcreatedb: true });
});

void describe('one data directory over time', async () => {
  const dir = await folder();
  after(() => dir[Symbol.asyncDispose]());

  void test('two processes that start at once share it, and the last one out stops it', async () => {
    const children = [child(dir.path), child(dir.path)];
    const urls = await Promise.all(children.map(ready));
    assert.equal(urls[0], urls[1]);
    await query(urls[0]!, (sql) => sql`create table kept (value text)`);
    await query(urls[1]!, (sql) => sql`insert into kept values ('here')`);
    await leave(children[0]!);
    assert.deepEqual(await query(urls[1]!, (sql) => sql`select * from kept`), [{ value: 'here' }]);
    const pid = await postmasterPid(dir.path);
    await leave(children[1]!);
    await gone(pid);
  });

  void test('data is kept, nobody comes in without the password, and Ctrl-C does not reach it', async () => {
    const server = await start(dir.path);
    assert.deepEqual(await query(server.url, (sql) => sql`select * from kept`), [
      { value: 'here' },
    ]);
    const stranger = new URL(server.url);
    stranger.password = 'wrong';
    await assert.rejects(
      query(stranger.href, (sql) => sql`select 1`),
      { code: '28P01' },
    );
    const pid = await postmasterPid(dir.path);
    if (process.platform !== 'win32') {
      const group = execFileSync('ps', ['-o', 'pgid=', '-p', String(pid)], { encoding: 'utf8' });
      assert.equal(Number(group), pid);
    }
    await Promise.all([server.stop(), server.stop()]);
    await gone(pid);
  });

  void test('a server whose starter was killed is adopted', async () => {
    const starter = child(dir.path);
    const url = await ready(starter);
    const pid = await postmasterPid(dir.path);
    starter.kill('SIGKILL');
    await once(starter, 'exit');
    const server = await start(dir.path);
    assert.equal(server.url, url);
    await server.stop();
    await gone(pid);
  });

  void test('a killed server is started again under a living process, on the same port', async () => {
    const lines: string[] = [];
    const server = await start(dir.path, (line) => lines.push(line));
    const killed = await postmasterPid(dir.path);
    process.kill(killed, 'SIGKILL');
    await until(async () => (await postmasterPid(dir.path).catch(() => killed)) !== killed);
    await until(async () =>
      query(server.url, (sql) => sql`select * from kept`).then(
        (rows) => rows.length === 1,
        () => false,
      ),
    );
    assert.match(lines.join('\n'), /joining it again/);
    const pid = await postmasterPid(dir.path);
    await server.stop();
    await gone(pid);
  });

  void test('after everything was killed it starts, though the old number is another process’s', async () => {
    const starter = child(dir.path);
    await ready(starter);
    const pid = await postmasterPid(dir.path);
    starter.kill('SIGKILL');
    process.kill(pid, 'SIGKILL');
    await gone(pid);
    const path = join(dir.path, 'postgres/data/postmaster.pid');
    // A process of the server's own user, before which PostgreSQL itself would give way.
    const { uid, gid } = await stat(path);
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], {
      ...(isRoot && { uid, gid }),
      cwd: '/',
    });
    await writeFile(path, (await readFile(path, 'utf8')).replace(/^\d+/, String(other.pid)));
    const server = await start(dir.path);
    assert.equal((await query(server.url, (sql) => sql`select * from kept`)).length, 1);
    await server.stop();
    other.kill();
  });

  void test('stop works after the connection that held the cluster was cut', async () => {
    const server = await start(dir.path);
    const pid = await postmasterPid(dir.path);
    const [holder] = await query(
      server.url,
      (sql) => sql`select pid from pg_stat_activity where application_name = 'petitions cluster'`,
    );
    process.kill(holder!.pid as number, 'SIGTERM');
    await server.stop();
    await gone(pid);
  });

  void test('comings and goings at the same time always meet a server', async () => {
    const visits = Array.from({ length: 6 }, async (_, index) => {
      await sleep(index * 40);
      const server = await start(dir.path);
      const rows = await query(server.url, (sql) => sql`select * from kept`);
      await server.stop();
      return rows.length;
    });
    assert.deepEqual(await Promise.all(visits), [1, 1, 1, 1, 1, 1]);
  });

  void test('a process that does not stop it ends all the same', async () => {
    const careless = child(dir.path, 'none');
    await ready(careless);
    assert.deepEqual(await once(careless, 'exit'), [0, null]);
    await (await start(dir.path)).stop();
  });
});

void test('a start that was killed leaves nothing half-made behind', async () => {
  await using dir = await folder();
  const killed = child(dir.path);
  await until(async () => (await names(dir.path)).some((name) => name.startsWith('.unfinished-')));
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  const server = await start(dir.path);
  await server.stop();
  assert.deepEqual(await names(dir.path), ['postgres']);
});

void test('a server that cannot start says why', async () => {
  await using dir = await folder();
  await assert.rejects(
    startEmbeddedPostgres({ dataDir: dir.path, settings: { fsync: 'off', work_mem: 'much' } }),
    /PostgreSQL did not start:[^]*work_mem/,
  );
});

void test(
  'a directory that only root can reach keeps its cluster elsewhere',
  { skip: !isRoot && 'only root can reach such a directory' },
  async () => {
    await using dir = await folder();
    await chmod(dir.path, 0o700);
    const first = await start(dir.path);
    await query(first.url, (sql) => sql`create table kept ()`);
    await first.stop();
    const home = await readlink(join(dir.path, 'postgres'));
    assert.match(home, /^\/var\/lib\/open-petitions\//);
    const second = await start(dir.path);
    await query(second.url, (sql) => sql`select from kept`);
    await second.stop();
    await rm(home, { recursive: true });
    await assert.rejects(start(dir.path), /a database that is gone/);
  },
);

void test('binaries lacking links and modes are mended, or copied where the server can reach', async () => {
  await using dir = await folder();
  await chmod(dir.path, 0o755);
  const found = await findPackage();
  const native = join(dir.path, 'package/native');
  await cp(found.native, native, {
    recursive: true,
    filter: async (source) => !(source.endsWith('.a') || (await isLink(source))),
  });
  const bare = { ...found, native };
  const programs = ['initdb', 'pg_ctl', 'postgres'].map((name) => join(native, 'bin', name));
  await Promise.all(programs.map((program) => chmod(program, 0o644)));
  if (isRoot) {
    await chmod(join(dir.path, 'package'), 0o700);
    const user = { uid: 65534, gid: 65534 };
    const copies = await Promise.all([
      prepareBinaries(bare, user, async () => dir.path),
      prepareBinaries(bare, user, async () => dir.path),
    ]);
    assert.equal(copies[0].postgres, copies[1].postgres);
    assert.doesNotMatch(copies[0].postgres, /package/);
    for (const program of [copies[0].postgres, copies[0].initdb]) {
      assert.match(execFileSync(program, ['--version'], { ...user, encoding: 'utf8' }), / 18\./);
    }
    assert.equal((await names(dir.path)).length, 2);
  }
  const mended = await prepareBinaries(bare, undefined, async () => dir.path);
  assert.equal(mended.initdb, join(native, 'bin/initdb'));
  assert.match(execFileSync(mended.initdb, ['--version'], { encoding: 'utf8' }), / 18\./);
});

async function isLink(path: string): Promise<boolean> {
  return readlink(path).then(
    () => true,
    () => false,
  );
}

async function names(path: string): Promise<string[]> {
  return (await readdir(path)).toSorted();
}

async function folder() {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'embedded-postgres-')));
  // As a data directory is: the server's user may pass through.
  await chmod(path, 0o755);
  return {
    path,
    async [Symbol.asyncDispose]() {
      const pid = await postmasterPid(path).catch(() => 0);
      if (pid && isAlive(pid)) process.kill(pid, 'SIGQUIT');
      const home = await readlink(join(path, 'postgres')).catch(() => undefined);
      for (const one of [home, path]) {
        if (one) await rm(one, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
      }
    },
  };
}

/** A process that starts the cluster, prints its URL, and stops at end of input. */
function child(dataDir: string, end: 'input' | 'none' = 'input'): ChildProcess {
  const code = `
    import { startEmbeddedPostgres } from ${JSON.stringify(new URL('embedded-postgres.ts', import.meta.url).href)};
    const server = await startEmbeddedPostgres(${JSON.stringify({ dataDir, settings: quick })});
    console.log(server.url);
    if (${end === 'input'}) process.stdin.resume().once('end', () => server.stop());`;
  return spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

async function ready(process: ChildProcess): Promise<string> {
  const [line] = (await once(process.stdout!, 'data')) as [Buffer];
  return line.toString().trim();
}

async function leave(process: ChildProcess): Promise<void> {
  process.stdin!.end();
  const [code] = await once(process, 'exit');
  assert.equal(code, 0);
}

async function query(url: string, run: (sql: Db) => Promise<Row[]>): Promise<Row[]> {
  const sql = openPool(url, { name: 'test', max: 1 });
  try {
    return [...(await run(sql))];
  } finally {
    await sql.end();
  }
}

async function postmasterPid(dataDir: string): Promise<number> {
  const content = await readFile(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8');
  return Number(content.split('\n')[0]);
}

/** A zombie is gone too: in a container the first process may take its time to reap an orphan. */
async function gone(pid: number): Promise<void> {
  await until(async () => {
    const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
    return stdout === '' || stdout.startsWith('Z');
  });
}

async function until(done: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!(await done())) {
    assert.ok(Date.now() < deadline, 'not within 10 s');
    await sleep(10);
  }
}
