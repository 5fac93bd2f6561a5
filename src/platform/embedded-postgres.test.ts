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
import { isAlive } from './embedded-postgres/directories.ts';

const isRoot = process.getuid?.() === 0;
const fastSettings = { fsync: 'off', shared_buffers: '16MB', max_connections: '20' };
const start = (dataDir: string, log?: (line: string) => void) =>
  startEmbeddedPostgres({ dataDir, settings: fastSettings, ...(log && { log }) });

void test('creates a database with the extensions and the case folding that search needs', async () => {
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

void describe('a data directory over time', async () => {
  const dir = await folder();
  after(() => dir[Symbol.asyncDispose]());

  void test('is shared by two processes that start together, and stopped by the last one', async () => {
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

  void test('keeps its data, requires the password, and has its own process group', async () => {
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

  void test('has its server stopped after the process that started it was killed', async () => {
    const starter = child(dir.path);
    await ready(starter);
    const pid = await postmasterPid(dir.path);
    starter.kill('SIGKILL');
    await once(starter, 'exit');
    await gone(pid);
  });

  void test('starts in the moment in which the server of a killed process is stopped', async () => {
    const starter = child(dir.path);
    await ready(starter);
    starter.kill('SIGKILL');
    await once(starter, 'exit');
    const server = await start(dir.path);
    assert.deepEqual(await query(server.url, (sql) => sql`select * from kept`), [
      { value: 'here' },
    ]);
    await server.stop();
  });

  void test('has its server go on for another process after the first was killed', async () => {
    const starter = child(dir.path);
    await ready(starter);
    const server = await start(dir.path);
    const pid = await postmasterPid(dir.path);
    starter.kill('SIGKILL');
    await once(starter, 'exit');
    // The guard looks for others twice a second.
    for (let looks = 0; looks < 4; looks += 1) {
      await sleep(400);
      assert.ok(isAlive(pid));
    }
    await server.stop();
    await gone(pid);
  });

  void test('has a killed server restarted by a running process, on the same port', async () => {
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

  void test('starts after all processes were killed and the old pid was reused', async () => {
    const starter = child(dir.path);
    await ready(starter);
    const pid = await postmasterPid(dir.path);
    starter.kill('SIGKILL');
    process.kill(pid, 'SIGKILL');
    await gone(pid);
    const path = join(dir.path, 'postgres/data/postmaster.pid');
    // A process of the server's user: PostgreSQL itself would refuse to start.
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

  void test('is stopped even after the connection that holds its lock was cut', async () => {
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

  void test('has a server for each of several processes that join and leave concurrently', async () => {
    const sessions = Array.from({ length: 6 }, async (_, index) => {
      await sleep(index * 40);
      const server = await start(dir.path);
      const rows = await query(server.url, (sql) => sql`select * from kept`);
      await server.stop();
      return rows.length;
    });
    assert.deepEqual(await Promise.all(sessions), [1, 1, 1, 1, 1, 1]);
  });

  void test('does not keep a process alive that does not stop it', async () => {
    const starter = child(dir.path, 'none');
    await ready(starter);
    assert.deepEqual(await once(starter, 'exit'), [0, null]);
    await (await start(dir.path)).stop();
  });
});

void test('a killed start leaves no unfinished files', async () => {
  await using dir = await folder();
  const killed = child(dir.path);
  await until(async () => (await names(dir.path)).some((name) => name.startsWith('.unfinished-')));
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  const server = await start(dir.path);
  await server.stop();
  assert.deepEqual(await names(dir.path), ['postgres']);
});

void test('reports why a server cannot start', async () => {
  await using dir = await folder();
  await assert.rejects(
    startEmbeddedPostgres({ dataDir: dir.path, settings: { fsync: 'off', work_mem: 'much' } }),
    /PostgreSQL did not start:[^]*work_mem/,
  );
});

void test(
  'stores the cluster elsewhere if only root can reach the directory',
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

void test('repairs binaries that lack links and modes, or copies them to a reachable folder', async () => {
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
  const repaired = await prepareBinaries(bare, undefined, async () => dir.path);
  assert.equal(repaired.initdb, join(native, 'bin/initdb'));
  assert.match(execFileSync(repaired.initdb, ['--version'], { encoding: 'utf8' }), / 18\./);
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
  // Like a data directory, reachable for the server's user.
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

/** Starts a process that starts the cluster, prints its URL, and stops it at the end of input. */
function child(dataDir: string, end: 'input' | 'none' = 'input'): ChildProcess {
  const code = `
    import { startEmbeddedPostgres } from ${JSON.stringify(new URL('embedded-postgres.ts', import.meta.url).href)};
    const server = await startEmbeddedPostgres(${JSON.stringify({ dataDir, settings: fastSettings })});
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

/** Waits until the process has ended. Zombies count as ended: in a container, orphans may be reaped late. */
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
