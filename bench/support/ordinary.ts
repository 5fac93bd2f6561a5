import assert from 'node:assert/strict';
import type { Child } from './child.ts';
import { toBytes } from './http.ts';
import type { Load, LoadProcess, LoadResult } from './load.ts';
import type { Signer } from './people.ts';
import { median, percentile, table, verdict } from './report.ts';
import { settings } from './settings.ts';
import { signingRequest } from './signing-round.ts';

/** Ordinary requests a second, far below capacity, so that latency is measured. */
const perSecond = { petition: 300, list: 150, signing: 100 };
const kinds = ['petition', 'list', 'signing'] as const;
/** Enough addresses to stay below the rate limits. */
const addresses = 8192;
/** Turns of a round: enough for thousands of requests on each side. */
const turns = 8;
/** Signatures of one measurement, with a margin. */
const signaturesAtOnce = Math.ceil(perSecond.signing * settings.seconds * 1.2);

/** Signers of all rounds and of the warm-up. */
export const signersOfRounds = signaturesAtOnce * (settings.rounds * turns * 2 + 1);
/** Description of the measurement. */
export const roundsInWords = `medians of ${settings.rounds} rounds of ${turns} turns of ${settings.seconds} s on each side`;

export type Measured = Record<(typeof kinds)[number], LoadResult>;

/** Creates a function that measures ordinary requests, with new signers each time. */
export function createMeter(
  load: Child<LoadProcess>,
  port: number,
  slug: string,
  signers: Signer[],
): () => Promise<Measured> {
  // Each from its own address, different in each round.
  const signings = signers.map((signer, n) => signingRequest(slug, signer, n));
  return () => measureOrdinary(load, port, slug, signings.splice(0, signaturesAtOnce));
}

/** Latencies of reading and signing a petition, and of reading a list. */
async function measureOrdinary(
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
  return Object.fromEntries(kinds.map((kind, n) => [kind, checked(kind, results[n]!)])) as Measured;
}

function checked(kind: string, result: LoadResult): LoadResult {
  const status = kind === 'signing' ? 201 : 200;
  assert.deepEqual(result.statuses, { [status]: result.answers }, kind);
  return result;
}

/** Measurements with and without background work, in turns. */
export interface Round {
  without: Measured[];
  meanwhile: Measured[];
}

/**
 * Measures both sides in turns, so that other load of the machine affects both equally. Each side goes first equally
 * often.
 */
export async function measureInTurns(
  without: () => Promise<Measured>,
  meanwhile: () => Promise<Measured>,
): Promise<Round> {
  const round: Round = { without: [], meanwhile: [] };
  for (let turn = 0; turn < turns; turn += 1) {
    if (turn % 2) round.meanwhile.push(await meanwhile());
    round.without.push(await without());
    if (turn % 2 === 0) round.meanwhile.push(await meanwhile());
  }
  return round;
}

/** Formats the latencies of both sides and their ratios. */
export function ratiosOf(rounds: Round[], what: string): string {
  return table(
    kinds.map((kind) => {
      const sides = rounds.map(({ without, meanwhile }) => ({
        without: together(without, kind),
        meanwhile: together(meanwhile, kind),
      }));
      const of = (side: keyof Round, share: number) =>
        median(sides.map((one) => percentile(one[side], share)));
      const ratios = sides
        .map(({ without, meanwhile }) => percentile(meanwhile, 0.99) / percentile(without, 0.99))
        .toSorted((a, b) => a - b);
      const ratio = median(ratios);
      return {
        request: `${kind}, ${perSecond[kind]} a second`,
        'answers a round': median(sides.map(({ without }) => without.length)),
        'p50 ms': of('without', 0.5),
        [`during ${what}`]: of('meanwhile', 0.5),
        'p99 ms': of('without', 0.99),
        [`p99 during ${what}`]: of('meanwhile', 0.99),
        ratio,
        'of each round': ratios.map((one) => one.toFixed(2)).join(', '),
        target: verdict(ratio, { atMost: 1.5 }),
      };
    }),
  );
}

/** Sorted times of all requests of a kind over the turns. */
const together = (ofOneSide: Measured[], kind: keyof Measured): Float64Array =>
  Float64Array.from(ofOneSide.flatMap((one) => [...one[kind].latencies])).toSorted();
