import assert from 'node:assert/strict';
import type { Child } from './child.ts';
import { toBytes } from './http.ts';
import type { Load, LoadProcess, LoadResult } from './load.ts';
import type { Signer } from './people.ts';
import { median, percentile, table, verdict } from './report.ts';
import { settings } from './settings.ts';
import { signingRequest } from './signing-round.ts';

/** Ordinary requests a second: far from what the service can do, so that what is measured is waiting. */
const perSecond = { petition: 300, list: 150, signing: 100 };
const kinds = ['petition', 'list', 'signing'] as const;
/** By which no reader of ours meets a limit. */
const addresses = 8192;
/** How often something is held up and goes on in a round: enough for thousands of requests on each side. */
const turns = 8;
/** Signatures of one measurement, with some to spare. */
const signaturesAtOnce = Math.ceil(perSecond.signing * settings.seconds * 1.2);

/** Those of all rounds, and of one measurement before them, which does not count. */
export const signersOfRounds = signaturesAtOnce * (settings.rounds * turns * 2 + 1);
/** What is measured, in words. */
export const roundsInWords = `medians of ${settings.rounds} rounds of ${turns} turns of ${settings.seconds} s on each side`;

export type Measured = Record<(typeof kinds)[number], LoadResult>;

/** Measures again and again what people wait for, with other signers each time. */
export function ordinaryMeter(
  load: Child<LoadProcess>,
  port: number,
  slug: string,
  signers: Signer[],
): () => Promise<Measured> {
  // Each from an address of its own, also in other rounds.
  const signings = signers.map((signer, n) => signingRequest(slug, signer, n));
  return () => measureOrdinary(load, port, slug, signings.splice(0, signaturesAtOnce));
}

/** What a petition's readers and signers, and those of a list, wait for. */
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

/** The same load without and with something under way, in turns. */
export interface Round {
  without: Measured[];
  meanwhile: Measured[];
}

/**
 * Measures both sides in turns, so that what else a machine does meets both, and each goes first as often
 * as the other.
 */
export async function inTurns(
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

/** How long they wait on both sides, and how much longer while it is under way. */
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

/** How long all requests of a kind took, over the turns, sorted. */
const together = (ofOneSide: Measured[], kind: keyof Measured): Float64Array =>
  Float64Array.from(ofOneSide.flatMap((one) => [...one[kind].latencies])).toSorted();
