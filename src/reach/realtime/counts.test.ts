import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { EventSource } from 'eventsource';
import { eventually } from '../../../test/support/eventually.ts';
import { waitingForLocks } from '../../../test/support/locks.ts';
import {
  createTokens,
  createPublished,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import {
  sharedSettings,
  startProcess,
  type ServiceProcess,
} from '../../../test/support/process.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { followOn } from '../../../test/support/watcher.ts';
import { openPool, transaction } from '../../platform/db.ts';
import { endOfLog, hasAllSince } from '../../platform/events.ts';

/** How long signatures and lost connections go on. */
const underWayMs = 4000;

describe("a watcher's count", () => {
  let service: Service;
  let creator: Person;
  let signer: Person;
  before(async () => {
    service = await startService();
    creator = await signUp(service, 'Creator');
    signer = await signUp(service, 'Signer');
    // Whoever resumes must find an event before that. A transaction of another test, older than all of them, would hide it.
    await createPublished(creator);
    const { main } = service.ctx.pools;
    await eventually(async () => hasAllSince(main, await endOfLog(main)), 20_000);
  });
  after(() => service[Symbol.asyncDispose]());

  /**
   * Does the work while a message about a first signature has been written but for the list of new signatures, with
   * a count of 1.
   */
  const whileComposing = async (petition: { id: string }, work: () => Promise<void>) => {
    const { main } = service.ctx.pools;
    await transaction(main, async (list) => {
      // The event shows once the list of signatures cannot be read any more.
      await transaction(main, async (log) => {
        await log`select pg_current_xact_id()`;
        await signer.api.post(`/v1/petitions/${petition.id}/signatures`);
        await list`lock table signatures in access exclusive mode`;
      });
      await eventually(async () => (await waitingForLocks(list)) > 0);
      await work();
    });
  };
  const setCount = (petition: { id: string }, count: number) =>
    service.ctx.pools.main`
      update petitions set signature_count = ${count} where id = ${petition.id}`;

  for (const { what, count } of [
    { what: 'rise, and does not go back', count: 9 },
    { what: 'fall, and does not go back', count: 0 },
  ]) {
    it(`of one who joins is the newest: others saw it ${what}`, async () => {
      const petition = await createPublished(creator);
      using staying = await followOn(service.origin, petition);
      const joining: ReturnType<typeof followOn>[] = [];
      await whileComposing(petition, async () => {
        await setCount(petition, count);
        joining.push(followOn(service.origin, petition));
        await joining[0];
        // Receives its count after the list could be read.
        joining.push(followOn(service.origin, petition, { since: staying.first.id }));
      });
      for (const watcher of await Promise.all(joining)) {
        using _ = watcher;
        assert.equal(watcher.first.signature_count, count);
        const created = await watcher.next('signature.created');
        assert.deepEqual([created.signature_count, created.added], [count, 1]);
        assert.equal(created.signatures[0].user.id, signer.id);
      }
      const created = await staying.next('signature.created');
      assert.deepEqual([created.signature_count, created.added], [1, 1]);
      await setCount(petition, 1);
    });
  }

  it('never goes back on several processes whose connections to the database drop', async (t) => {
    const petition = await createPublished(creator);
    await using stack = new AsyncDisposableStack();
    const processes = await Promise.all([1, 2].map(() => startProcess(sharedSettings(service))));
    for (const one of processes) stack.use(one);
    const tokens = await createTokens(service, 400);
    const ending = new AbortController();
    stack.defer(() => ending.abort());
    const sources = processes.flatMap(({ origin }) =>
      Array.from({ length: 5 }, () => countsOfStream(origin, petition, ending.signal)),
    );
    const webSockets = Array.from({ length: 20 }, (_, n) =>
      countsOfWebSockets(processes, petition, n, ending.signal),
    );
    const end = performance.now() + underWayMs;
    let signed = 0;
    let next = 0;
    const terminating = terminateUntil(service.databaseUrl, () => signed, ending.signal);
    const signing = Array.from({ length: 4 }, async () => {
      while (next < tokens.length && (performance.now() < end || signed < 10)) {
        const token = tokens[next++]!;
        const { origin } = processes[next % 2]!;
        // 503 where its connection was dropped, before or after the signature was stored.
        const { status } = await sign(origin, petition, token);
        if (status === 201) signed += 1;
      }
    });
    await Promise.all(signing).finally(() => {
      for (const one of processes) assert.ok(one.isAlive(), one.output());
    });
    ending.abort();
    const terminated = await terminating;
    const watchers = [...(await Promise.all(webSockets)), ...sources];
    for (const counts of watchers) {
      const back = counts.findIndex((count, n) => n > 0 && count < counts[n - 1]!);
      const around = counts.slice(Math.max(0, back - 3), back + 3);
      assert.equal(back, -1, `went back: ${around.join(', ')}`);
    }
    const messages = watchers.flat().length;
    const figures = `${messages} counts received, ${signed} signed, ${terminated} connections dropped`;
    assert.ok(terminated > 20 && signed > 5 && messages > 50, figures);
    t.diagnostic(figures);
  });
});

const sign = (origin: string, { id }: { id: string }, token: string) =>
  fetch(`${origin}/v1/petitions/${id}/signatures`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(30_000),
  });

/** The counts that a client of server-sent events receives, which reconnects as the pages do; grows until the end. */
function countsOfStream(origin: string, { id }: { id: string }, signal: AbortSignal): number[] {
  const counts: number[] = [];
  const open = () => {
    if (signal.aborted) return;
    const source = new EventSource(`${origin}/v1/petitions/${id}/events`);
    for (const type of ['subscribed', 'signature.created', 'signature.milestone']) {
      source.addEventListener(type, ({ data }) => counts.push(JSON.parse(data).signature_count));
    }
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) setTimeout(open, 200);
    });
    signal.addEventListener('abort', () => source.close(), { once: true });
  };
  open();
  return counts;
}

/** The counts that a client receives which connects again and again, to one process or the other. */
async function countsOfWebSockets(
  processes: ServiceProcess[],
  petition: { id: string },
  number: number,
  signal: AbortSignal,
): Promise<number[]> {
  const counts: number[] = [];
  let since: string | undefined;
  for (let n = number; !signal.aborted; n += 1) {
    const { origin } = processes[n % processes.length]!;
    // With missed messages, or with the count alone.
    const more = since !== undefined && n % 3 > 0 ? { since } : {};
    try {
      using watcher = await followOn(origin, petition, more);
      await pause(30 + Math.random() * 200);
      for (const { id, signature_count: count } of watcher.messages) {
        if (count === undefined) continue;
        counts.push(count);
        since = id;
      }
    } catch {
      // Refused, since the database did not answer.
    }
  }
  return counts;
}

/**
 * Drops some of the services' connections, again and again, but not before the next signature, which takes longer
 * than the pause on a busy machine. Gives how many.
 */
async function terminateUntil(
  databaseUrl: string,
  signatures: () => number,
  signal: AbortSignal,
): Promise<number> {
  const db = openPool(databaseUrl, { name: 'test', max: 1 });
  let terminated = 0;
  while (!signal.aborted) {
    const rows = await db`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and random() < 0.5
        and application_name like 'petitions %' and application_name <> 'petitions test'`;
    terminated += rows.length;
    const signed = signatures();
    do await pause(200);
    while (!signal.aborted && signatures() === signed);
  }
  await db.end();
  return terminated;
}
