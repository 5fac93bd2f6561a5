import { it } from 'node:test';
import { assertVerified } from '../support/verify.ts';
import { PatroniCluster } from './patroni.ts';
import { printTable, roundCount } from './report.ts';
import { runRound, type Figures } from './round.ts';
import { World } from './world.ts';

it('loses nothing when the primary of a Patroni cluster is killed under load', async () => {
  await using cluster = await PatroniCluster.start();
  await cluster.createDatabase();
  await using world = await World.start({
    databaseUrl: cluster.urlOf('writable'),
    replicaUrl: cluster.urlOf('readable'),
  });
  const figures: Figures[] = [];
  for (let round = 1; round <= roundCount(); round++) {
    figures.push(await runRound({ cluster, ...(await world.prepareRound()) }));
  }
  const delivered = await world.waitForWebhooks();
  printTable('Patroni', figures, delivered);
  await assertVerified(cluster.urlOf('writable'));
  await world.stop();
});
