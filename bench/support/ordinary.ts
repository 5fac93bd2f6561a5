import assert from 'node:assert/strict';
import type { Child } from './child.ts';
import { toBytes } from './http.ts';
import type { Load, LoadProcess, LoadResult } from './load.ts';
import { median, table, verdict } from './report.ts';
import { settings } from './settings.ts';

/** Ordinary requests a second: far from what the service can do, so that what is measured is waiting. */
export const perSecond = { petition: 300, list: 150, signing: 100 };
export const kinds = ['petition', 'list', 'signing'] as const;
/** By which no reader of ours meets a limit. */
const addresses = 8192;

export type Measured = Record<(typeof kinds)[number], LoadResult>;

/** What a petition's readers and signers, and those of a list, wait for. */
export async function measureOrdinary(
  load: Child<LoadProcess>,
  port: number,
  slug: string,
  signings: Buffer[],
): Promise<Measured> {
  const reading = (path: string, rate: number): Load => ({
    port,
    connections: 8,
    seconds: settings.seconds,
    perSecond: rate,
    requests: Array.from({ length: addresses }, (_, n) =>
      toBytes({
        method: 'GET',
        path,
        headers: { 'x-forwarded-for': `10.0.${n >> 8}.${n & 255}`, accept: 'application/json' },
      }),
    ),
  });
  const results = await load.call('putLoads', [
    reading(`/v1/petitions/${slug}`, perSecond.petition),
    reading('/v1/petitions?limit=20', perSecond.list),
    {
      port,
      connections: 8,
      seconds: settings.seconds,
      perSecond: perSecond.signing,
      requests: signings,
    },
  ]);
  return Object.fromEntries(kinds.map((kind, n) => [kind, checked(kind, results[n]!)])) as never;
}

function checked(kind: string, result: LoadResult): LoadResult {
  const status = kind === 'signing' ? 201 : 200;
  assert.deepEqual(result.statuses, { [status]: result.answers }, kind);
  return result;
}

/** How much longer they wait in the busy rounds. */
export function ratiosOf(quiet: Measured[], busy: Measured[], what: string): string {
  return table(
    kinds.map((kind) => {
      const of = (rounds: Measured[], key: 'p50' | 'p99') =>
        median(rounds.map((round) => round[kind][key]));
      const ratio = of(busy, 'p99') / of(quiet, 'p99');
      return {
        request: `${kind}, ${perSecond[kind]} a second`,
        'p50 ms': of(quiet, 'p50'),
        [`during ${what}`]: of(busy, 'p50'),
        'p99 ms': of(quiet, 'p99'),
        [`p99 during ${what}`]: of(busy, 'p99'),
        ratio,
        target: verdict(ratio, { atMost: 1.5 }),
      };
    }),
  );
}
