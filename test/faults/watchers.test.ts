import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { EventSource } from 'eventsource';
import { WebSocket } from 'ws';
import { createTestDatabase, databaseNamed } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { underFault } from '../support/faults.ts';
import { openTestPool, prepareCrowd, summary } from '../support/load.ts';
import { startProcess } from '../support/process.ts';
import { rounds, roundsTimeout } from '../support/rounds.ts';
import { assertVerified } from '../support/verify.ts';

/** Watchers of each kind at each process. */
const watchersEach = 3;

/** The counts that a watcher of a petition received on all its connections. */
interface Watcher extends Disposable {
  name: string;
  counts: number[];
  connections: number;
}

const messageTypes = ['subscribed', 'signature.created', 'signature.milestone'];

/** Watches by WebSocket, and reconnects 200 ms after the end of a connection. */
function watchByWebSocket(origin: string, petition: { id: string }): Watcher {
  const watcher = { name: `WebSocket at ${origin}`, counts: [] as number[], connections: 0 };
  let socket: WebSocket;
  let since: string | undefined;
  let over = false;
  const open = () => {
    if (over) return;
    socket = new WebSocket(`${origin.replace('http', 'ws')}/v1/realtime`);
    socket.on('open', () => {
      watcher.connections += 1;
      socket.send(JSON.stringify({ type: 'subscribe', petition_id: petition.id, since }));
    });
    socket.on('message', (data) => {
      const message = JSON.parse((data as Buffer).toString()) as {
        type: string;
        id?: string;
        signature_count?: number;
      };
      if (message.signature_count !== undefined) watcher.counts.push(message.signature_count);
      since = message.id ?? since;
      // The subscription failed temporarily.
      if (message.type === 'error') socket.terminate();
    });
    socket.on('error', () => {});
    socket.on('close', () => setTimeout(open, 200));
  };
  open();
  return Object.assign(watcher, {
    [Symbol.dispose]: () => {
      over = true;
      socket.terminate();
    },
  });
}

function watchByEvents(origin: string, petition: { id: string }): Watcher {
  const watcher = { name: `events at ${origin}`, counts: [] as number[], connections: 0 };
  let source: EventSource;
  let again: NodeJS.Timeout | undefined;
  const open = () => {
    source = new EventSource(`${origin}/v1/petitions/${petition.id}/events`);
    source.addEventListener('open', () => (watcher.connections += 1));
    for (const type of messageTypes) {
      source.addEventListener(type, ({ data }) => {
        const { signature_count } = JSON.parse(data as string) as { signature_count?: number };
        if (signature_count !== undefined) watcher.counts.push(signature_count);
      });
    }
    // EventSource reconnects unless the response was no stream: a 503.
    source.addEventListener('error', () => {
      if (source.readyState === source.CLOSED) again = setTimeout(open, 200);
    });
  };
  open();
  return Object.assign(watcher, {
    [Symbol.dispose]: () => {
      clearTimeout(again);
      source.close();
    },
  });
}

/** Fails if a count is lower than an earlier one. */
function assertNeverDecreases({ name, counts }: Watcher): void {
  const back = counts.findIndex((count, n) => n > 0 && count < counts[n - 1]!);
  const around = counts.slice(Math.max(0, back - 3), back + 3);
  assert.equal(back, -1, `${name} was shown ${around.join(', ')}`);
}

it(
  'never shows watchers decreasing counts, and ends with the exact count, whatever is killed',
  roundsTimeout(25_000),
  async (t) => {
    await using database = await createTestDatabase();
    await using admin = openTestPool(databaseNamed(database.url, 'postgres'));
    const crowd = await prepareCrowd(database.url, { petitions: rounds, signers: 4000 });
    const name = new URL(database.url).pathname.slice(1);
    await using staying = await startProcess(crowd.env);
    await using stack = new AsyncDisposableStack();
    let killed = stack.use(await startProcess(crowd.env));
    const terminate = () => admin.db`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = ${name} and backend_type = 'client backend'
        and application_name <> 'petitions test'`;
    for (const petition of crowd.petitions) {
      using watching = new DisposableStack();
      const watchers = [staying, killed].flatMap(({ origin }) =>
        Array.from({ length: watchersEach }, () => [
          watching.use(watchByWebSocket(origin, petition)),
          watching.use(watchByEvents(origin, petition)),
        ]).flat(),
      );
      await eventually(() => watchers.every(({ counts }) => counts.length > 0), 10_000);
      const { url: databaseUrl } = database;
      const load = { service: staying, databaseUrl, petition, ...crowd, withinMs: 8000 };
      const answers = await underFault(load, async () => {
        for (let n = 0; n < 3; n += 1) {
          await pause(400 + Math.random() * 300);
          await terminate();
        }
        const port = Number(new URL(killed.origin).port);
        await killed.end('SIGKILL');
        await pause(Math.random() * 300);
        await terminate();
        killed = stack.use(await startProcess(crowd.env, port));
        await pause(1000);
      });
      await using reader = openTestPool(database.url);
      const [row] = await reader.db`
        select signature_count from petitions where id = ${petition.id}`;
      const exact = row!.signature_count as number;
      assert.ok(exact > 50, `${exact} signed`);
      await eventually(() => watchers.every(({ counts }) => counts.at(-1) === exact), 15_000).catch(
        (error: unknown) => {
          const last = watchers.map((one) => `${one.name}: ${one.counts.at(-1)}`);
          throw new Error(`${String(error)}: the count is ${exact}; ${last.join('; ')}`);
        },
      );
      for (const watcher of watchers) assertNeverDecreases(watcher);
      const connections = watchers.reduce((sum, watcher) => sum + watcher.connections, 0);
      assert.ok(connections > watchers.length, `${connections} connections`);
      const shown = watchers.reduce((sum, { counts }) => sum + counts.length, 0);
      t.diagnostic(`${watchers.length} watchers were shown ${shown} counts: ${summary(answers)}`);
    }
    await assertVerified(database.url);
  },
);
