import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { caughtUp, startCluster, startStandby } from '../support/cluster.ts';
import { assertNotReady, underFault } from '../support/faults.ts';
import {
  assertServes,
  openTestPool,
  prepareCrowd,
  readinessDuring,
  request,
  summary,
  throughProxy,
  untilReady,
} from '../support/load.ts';
import { startProcess } from '../support/process.ts';
import { rounds, roundsTimeout } from '../support/rounds.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { assertVerified } from '../support/verify.ts';

const withinMs = 8000;

describe('a database that takes no writes', () => {
  it(
    'is at the address for a time: the service answers 503, and recovers afterwards',
    roundsTimeout(20_000),
    async (t) => {
      await using primary = await startCluster();
      const crowd = await prepareCrowd(primary.url, { petitions: rounds, signers: 2000 });
      await using standby = await startStandby(primary);
      await using proxy = await startTcpProxy({ host: '127.0.0.1', port: primary.port });
      const service = await startProcess({
        ...crowd.env,
        DATABASE_URL: throughProxy(primary.url, proxy),
      });
      await using _ = service;
      for (const petition of crowd.petitions) {
        await caughtUp(primary, standby);
        const answers = await underFault(
          { service, databaseUrl: primary.url, petition, ...crowd, withinMs },
          async () => {
            await pause(500);
            const last = crowd.signers.at(-1);
            proxy.pointTo('127.0.0.1', standby.port);
            proxy.dropConnections();
            assertNotReady(await readinessDuring(service.origin, () => pause(3000)));
            const path = `/v1/petitions/${petition.id}/signatures`;
            const refused = await request('POST', service.origin, path, last);
            assert.equal(refused.status, 503, refused.errorBody);
            proxy.pointTo('127.0.0.1', primary.port);
            // Connections to the standby stay open: the service must close them.
            const backAfterMs = await untilReady(service.origin, withinMs);
            t.diagnostic(`ready ${backAfterMs} ms after the address was moved back`);
            await assertServes(service.origin, petition, crowd.signers);
          },
        );
        t.diagnostic(summary(answers));
      }
      await assertVerified(primary.url);
    },
  );

  it(
    'is the first of two hosts: the service finds the primary, also after a failover',
    roundsTimeout(20_000),
    async (t) => {
      await using stack = new AsyncDisposableStack();
      let primary = stack.use(await startCluster());
      const crowd = await prepareCrowd(primary.url, { petitions: rounds, signers: 2000 });
      for (const petition of crowd.petitions) {
        const standby = stack.use(await startStandby(primary));
        const url = new URL(primary.url);
        const hosts = `127.0.0.1:${standby.port},127.0.0.1:${primary.port}`;
        const service = await startProcess({
          ...crowd.env,
          DATABASE_URL: `postgres://${url.username}:${url.password}@${hosts}${url.pathname}`,
        });
        await using _ = service;
        await untilReady(service.origin, withinMs);
        const answers = await underFault(
          { service, databaseUrl: standby.url, petition, ...crowd, withinMs },
          async () => {
            await pause(500);
            // A clean stop waits until the standby has all commits.
            await primary.stop();
            await using promoted = openTestPool(standby.superuserUrl);
            await promoted.db`select pg_promote()`;
            const backAfterMs = await untilReady(service.origin, withinMs);
            t.diagnostic(`ready ${backAfterMs} ms after the standby was promoted`);
            await assertServes(service.origin, petition, crowd.signers);
          },
        );
        assert.ok(
          answers.slice(-32).every(({ status }) => status < 500),
          summary(answers),
        );
        assert.equal(await service.end('SIGTERM'), 0, service.output());
        t.diagnostic(summary(answers));
        primary = standby;
      }
      await assertVerified(primary.url);
    },
  );
});
