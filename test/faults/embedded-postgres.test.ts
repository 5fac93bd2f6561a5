import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/process.ts';
import { rounds, roundsTimeout } from '../support/rounds.ts';

/** How long a server may outlive the last process that used it. */
const maxMs = 5000;

/** What starts a database, and what each is given. */
const commands: Record<string, string[]> = {
  service: ['src/main.ts'],
  migrate: ['src/cli/migrate.ts'],
  demo: ['src/cli/demo.ts'],
  import: ['src/cli/import.ts', 'FILE'],
  verify: ['src/cli/verify.ts'],
  backup: ['src/cli/backup.ts', '-'],
};

describe('the embedded PostgreSQL', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'petitions-guard-'));
    await chmod(folder, 0o755);
    const rows = Array.from(
      { length: 20_000 },
      (_, n) => `${n},Plant tree ${n},${'Why. '.repeat(20)}`,
    );
    await writeFile(
      join(folder, 'rows.csv'),
      ['id,title,description,created_at', ...rows].join('\n'),
    );
    const first = await start('migrate', folder);
    assert.deepEqual(await once(first, 'exit'), [0, null]);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const name of Object.keys(commands)) {
    for (const target of ['process', 'group'] as const) {
      it(
        `ends after kill -9 of the ${target} of ${name}, and needs no repair`,
        roundsTimeout(30_000),
        async () => {
          for (let round = 0; round < rounds; round += 1) {
            await killAndCheck(name, target, folder);
          }
        },
      );
    }
  }

  it('ends after the terminal of the service was closed', async () => {
    const child = await start('service', folder);
    const pid = await serverOf(folder);
    process.kill(child.pid!, 'SIGHUP');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
    assert.ok(!isRunning(pid));
  });
});

/** Kills a command at some moment after its database answers. */
async function killAndCheck(
  name: string,
  target: 'process' | 'group',
  folder: string,
): Promise<void> {
  const logBefore = (await serverLog(folder)).length;
  const child = await start(name, folder);
  const pid = await serverOf(folder);
  await pause(Math.random() * 500);
  // A short command may have done its work.
  if (child.exitCode === null) {
    const exited = once(child, 'exit');
    process.kill(target === 'group' ? -child.pid! : child.pid!, 'SIGKILL');
    await exited;
  }
  await eventually(() => !isRunning(pid), maxMs);
  const restarted = await start('migrate', folder);
  assert.deepEqual(await once(restarted, 'exit'), [0, null]);
  const log = (await serverLog(folder)).slice(logBefore);
  assert.doesNotMatch(log, /not properly shut down|recovery/);
}

async function start(name: string, folder: string): Promise<ChildProcess> {
  const args = commands[name]!.map((one) => (one === 'FILE' ? join(folder, 'rows.csv') : one));
  return spawn(process.execPath, args, {
    env: {
      PATH: process.env.PATH,
      DATA_DIR: folder,
      PORT: String(await freePort()),
      LOG_LEVEL: 'error',
    },
    // A group of its own, as a shell gives it.
    detached: true,
    stdio: 'ignore',
  });
}

/** Waits until the server is ready. Returns its process id. */
async function serverOf(folder: string): Promise<number> {
  let pid = 0;
  await eventually(async () => {
    const path = join(folder, 'postgres/data/postmaster.pid');
    const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n');
    pid = Number(lines[0]);
    return lines[7]?.trim() === 'ready' && isRunning(pid);
  }, 20_000);
  return pid;
}

/** Whether a process exists and has not ended: its parent may reap it late. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

const serverLog = (folder: string): Promise<string> =>
  readFile(join(folder, 'postgres/log'), 'utf8').catch(() => '');
