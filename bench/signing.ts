import assert from 'node:assert/strict';
import { createDatabase } from './support/database.ts';
import { startChild } from './support/child.ts';
import type { DirectProcess } from './support/direct-signing.ts';
import type { LoadProcess } from './support/load.ts';
import { createPetition, createSigners, createUsers } from './support/people.ts';
import { median, megabytes, print, table, verdict } from './support/report.ts';
import { settings } from './support/settings.ts';
import { signingRound, type SigningRound, type Stage } from './support/signing-round.ts';

/**
 * Measures concurrent signing of one petition over HTTP. Compares it with the same service with one transaction for each
 * signature, and with that transaction on the bare database.
 */
async function main(): Promise<void> {
  await using database = await createDatabase();
  const { url: databaseUrl, db } = database;
  const warmUpSize = Math.min(2000, settings.signatures);
  const people = await createSigners(databaseUrl, db, settings.signatures + warmUpSize);
  await using load = startChild<LoadProcess>('./load.ts');
  const stage: Stage = {
    databaseUrl,
    db,
    load,
    warmUp: people.slice(0, warmUpSize),
    signers: people.slice(warmUpSize),
  };
  const pool = await bestPool(stage);
  const product: SigningRound[] = [];
  const usual: SigningRound[] = [];
  for (let round = 0; round < settings.rounds; round += 1) {
    product.push(await signingRound(stage));
    usual.push(await signingRound(stage, pool));
  }
  report(product, usual, pool);
  await reportDirect(stage);
}

/** The service's number of connections, and one for every two clients; the faster one counts. */
async function bestPool(stage: Stage): Promise<number> {
  const signers = stage.signers.slice(0, Math.ceil(settings.signatures / 4));
  const tried = [];
  for (const pool of [12, 64]) {
    const { rate, p50, p99 } = await signingRound({ ...stage, signers }, pool);
    tried.push({ pool, rate, p50, p99 });
  }
  print(
    `### Signing the usual way, tried with ${signers.length} signatures`,
    table(
      tried.map(({ pool, rate, p50, p99 }) => ({
        'database connections': pool,
        'signatures/s': rate,
        'p50 ms': p50,
        'p99 ms': p99,
      })),
    ),
  );
  return tried.reduce((best, one) => (one.rate > best.rate ? one : best)).pool;
}

function report(product: SigningRound[], usual: SigningRound[], pool: number): void {
  const rows = [
    ...product.map((round, n) => row(`this service, round ${n + 1}`, [round])),
    ...usual.map((round, n) => row(`the usual way, round ${n + 1}`, [round])),
    row('**this service, median**', product),
    row(`**the usual way, median** (${pool} connections)`, usual),
  ];
  const of = (rounds: SigningRound[], key: 'rate' | 'p99') => median(rounds.map((r) => r[key]));
  const rates = of(product, 'rate') / of(usual, 'rate');
  const p99s = of(product, 'p99') / of(usual, 'p99');
  print(
    `### ${settings.signatures.toLocaleString('en')} signatures of one petition over HTTP, 128 connections`,
    table(rows),
    table([
      { compared: 'signatures/s', ratio: rates, target: verdict(rates, { atLeast: 6 }) },
      { compared: 'p99', ratio: p99s, target: verdict(p99s, { atMost: 0.5 }) },
    ]),
    '### Memory of the process, resident',
    table([memoryRow('this service', product), memoryRow('the usual way', usual)]),
  );
}

function row(side: string, rounds: SigningRound[]) {
  const of = (value: (round: SigningRound) => number) => median(rounds.map(value));
  const groups = of(({ groups: many, seconds }) => many / seconds);
  return {
    side,
    'signatures/s': of(({ rate }) => rate),
    'p50 ms': of(({ p50 }) => p50),
    'p99 ms': of(({ p99 }) => p99),
    'max ms': of(({ max }) => max),
    'groups/s': groups || '–',
    'signatures a group': groups ? of(({ answers, groups: many }) => answers / many) : '–',
  };
}

function memoryRow(side: string, rounds: SigningRound[]) {
  const of = (key: keyof SigningRound['memory']) => median(rounds.map(({ memory }) => memory[key]));
  return {
    side,
    before: megabytes(of('before')),
    'at most': megabytes(of('peak')),
    after: megabytes(of('after')),
    'heap after': megabytes(of('heap')),
  };
}

/** Measures the same transaction without the service. */
async function reportDirect({ databaseUrl, db }: Stage): Promise<void> {
  const rows = [];
  const userIds = await createUsers(db, Math.ceil(settings.signatures / 4));
  for (const connections of [16, 64]) {
    await using direct = startChild<DirectProcess>('./direct-signing.ts');
    const { id } = await createPetition(db, userIds[0]!, -connections);
    const argument = { databaseUrl, petitionId: id, userIds, connections };
    const { rate, p50, p99 } = await direct.call('signAll', argument);
    const [stored] = await db`select signature_count from petitions where id = ${id}`;
    assert.equal(stored!.signature_count, userIds.length);
    rows.push({ connections, 'signatures/s': rate, 'p50 ms': p50, 'p99 ms': p99 });
  }
  print(
    `### The usual transaction on the bare database, ${userIds.length} signatures`,
    table(rows),
  );
}

await main();
