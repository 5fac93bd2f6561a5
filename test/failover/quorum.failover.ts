import { it } from 'node:test';
import { assertVerified } from '../support/verify.ts';
import { QuorumCluster } from './quorum.ts';
import { printTable, roundCount } from './report.ts';
import { runRound, type Figures } from './round.ts';
import { World } from './world.ts';

it('loses nothing when the primary of a quorum is killed under load', async () => {
  await using cluster = await QuorumCluster.start();
  await cluster.createDatabase();
  // One process uses the moved address; the other finds the primary among several hosts.
  await using world = await World.start({
    databaseUrl: cluster.movedUrl,
    secondDatabaseUrl: cluster.severalHostsUrl('read-write'),
    replicaUrl: cluster.severalHostsUrl('standby'),
  });
  const figures: Figures[] = [];
  // Fewer rounds than with Patroni, since they cover less.
  for (let round = 1; round <= Math.ceil(roundCount() / 4); round++) {
    figures.push(await runRound({ cluster, ...(await world.prepareRound()) }));
  }
  const delivered = await world.waitForWebhooks();
  printTable('Quorum commit', figures, delivered);
  await assertVerified(cluster.movedUrl);
  await world.stop();
});
