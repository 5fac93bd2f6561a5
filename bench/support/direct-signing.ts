import { openPool } from '../../src/platform/db.ts';
import { newId } from '../../src/platform/ids.ts';
import { answerParent } from './child.ts';
import { percentile } from './report.ts';
import { signUsually } from './usual-signing.ts';

export interface DirectSigning {
  databaseUrl: string;
  petitionId: string;
  userIds: string[];
  connections: number;
}

/** Signs for each user in turn, on that number of connections to the bare database. */
async function signAll({ databaseUrl, petitionId, userIds, connections }: DirectSigning) {
  const pool = openPool(databaseUrl, { name: 'direct', max: connections });
  const latencies = new Float64Array(userIds.length);
  let next = 0;
  const signer = async () => {
    while (next < userIds.length) {
      const index = next++;
      const start = performance.now();
      await signUsually(pool, {
        id: newId(),
        petitionId,
        userId: userIds[index]!,
        isAnonymous: false,
        comment: null,
        displayLocation: null,
        place: null,
        source: null,
        shareId: null,
        hasCode: false,
        origin: null,
        country: null,
        device: 'u',
      });
      latencies[index] = performance.now() - start;
    }
  };
  // Warm-up: each connection is open and has prepared the statements.
  await Promise.all(Array.from({ length: connections }, () => pool`select pg_sleep(0.05)`));
  const start = performance.now();
  await Promise.all(Array.from({ length: connections }, signer));
  const seconds = (performance.now() - start) / 1000;
  await pool.end();
  latencies.sort();
  return {
    rate: userIds.length / seconds,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
  };
}

const handlers = { signAll };
export type DirectProcess = typeof handlers;
answerParent(handlers);
