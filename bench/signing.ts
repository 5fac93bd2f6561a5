import { parse } from 'csv-parse/sync';
import { readFileSync } from 'node:fs';
import { createDatabase } from './support/database.ts';
import { startChild } from './support/child.ts';
import type { LoadProcess, LoadResult } from './support/load.ts';
import { plainSchema } from './support/plain-server.ts';
import { median, megabytes, print, table, verdict } from './support/report.ts';
import { settings } from './support/settings.ts';
import {
  connections,
  plainRound,
  prepareRound,
  prepareStage,
  signingRound,
  type Signing,
  type SigningRound,
  readPublicKeys,
  type PlainStage,
  withFewer,
} from './support/signing-round.ts';

const data = new URL('../../shared/data/', import.meta.url);

interface Shape {
  name: string;
  petitions: number;
  isSkewed?: boolean;
}

const shapes: Shape[] = [
  { name: '1 petition', petitions: 1 },
  { name: '50, evenly', petitions: 50 },
  { name: '50, as real ones', petitions: 50, isSkewed: true },
  { name: '500, evenly', petitions: 500 },
  { name: '500, as real ones', petitions: 500, isSkewed: true },
  { name: '50,000, evenly', petitions: 50_000 },
  { name: '50,000, as real ones', petitions: 50_000, isSkewed: true },
];

/** Blocks that each signature is compared with, and that hold none of them. */
const blocksElsewhere = `
  insert into signing_blocks (id, kind, value, action, reason)
  select gen_random_uuid(), kind, value, 'hold', 'A list of a hundred'
  from generate_series(1, 33) n,
    lateral (values ('network', '198.51.' || n || '.0/24'), ('domain', 'farm-' || n || '.example'),
      ('country', chr(64 + n % 26 + 1) || chr(64 + n / 26 + 1))) as block (kind, value)`;

/**
 * Measures concurrent signing over HTTP, of one and of many petitions. Compares it in each shape with the usual way: Express
 * with one transaction for each signature.
 */
async function main(): Promise<void> {
  await using database = await createDatabase();
  const { url: databaseUrl, db } = database;
  await db.unsafe(plainSchema);
  await db.unsafe(blocksElsewhere);
  const signatures = settings.signingSignatures;
  await using load = startChild<LoadProcess>('./load.ts');
  const stage: PlainStage = {
    ...(await prepareStage({ databaseUrl, db, load }, { signatures, warmUp: 500 })),
    jwks: await readPublicKeys(databaseUrl),
  };
  print(`### ${signatures.toLocaleString('en')} signatures over HTTP, ${connections} connections`);
  const rows = [];
  for (const shape of shapes.filter(({ petitions }) => petitions <= settings.maxPetitions)) {
    const signing = { petitions: shape.petitions, choose: chooser(shape) };
    const poolSize = await bestPoolSize(stage, signing);
    const service: SigningRound[] = [];
    const plain: LoadResult[] = [];
    for (let round = 0; round < settings.signingRounds; round += 1) {
      const created = await prepareRound(stage, signing);
      service.push(await signingRound(stage, { ...signing, created }));
      plain.push(await plainRound(stage, { ...signing, created }, poolSize));
    }
    rows.push(compare(shape, service, plain, poolSize));
    if (shape.petitions === 1)
      print('### Memory of the process, resident', table([memoryRow(service)]));
  }
  print(table(rows));
}

/** Which petition the nth signer signs: pseudo-random, and the same in each round. */
function chooser({ petitions, isSkewed }: Shape): (n: number) => number {
  const shareOf = (n: number) => (Math.imul(n + 1, 2_654_435_761) >>> 0) / 2 ** 32;
  if (!isSkewed) return (n) => Math.floor(shareOf(n) * petitions);
  const counts = realCounts();
  const weights = Array.from(
    { length: petitions },
    (_, n) => counts[Math.floor(((n + 0.5) / petitions) * counts.length)]!,
  );
  const total = weights.reduce((sum, weight) => sum + weight);
  let sum = 0;
  const upTo = weights.map((weight) => (sum += weight) / total);
  return (n) => {
    const share = shareOf(n);
    return Math.max(
      0,
      upTo.findIndex((limit) => share < limit),
    );
  };
}

/** Numbers of signatures of real petitions, ascending. */
function realCounts(): number[] {
  const file = readFileSync(new URL('uk-petitions.csv', data), 'utf8');
  return parse<{ signature_count: string }>(file, { columns: true })
    .map((row) => Number(row.signature_count))
    .filter((count) => count > 0)
    .toSorted((a, b) => a - b);
}

function compare(shape: Shape, service: SigningRound[], plain: LoadResult[], poolSize: number) {
  const of = (rounds: LoadResult[], key: 'rate' | 'p99') => median(rounds.map((r) => r[key]));
  const rate = of(service, 'rate') / of(plain, 'rate');
  const p99 = of(service, 'p99') / of(plain, 'p99');
  return {
    petitions: shape.name,
    'signatures/s': of(service, 'rate'),
    'the usual way': of(plain, 'rate'),
    'its connections': poolSize,
    ratio: rate,
    wanted: verdict(rate, { atLeast: shape.petitions === 1 ? 6 : 3 }),
    'p99 ms': of(service, 'p99'),
    'usual p99 ms': of(plain, 'p99'),
    'ratio of p99': p99,
    'wanted of p99': verdict(p99, { atMost: 0.5 }),
    'signatures a group': median(service.map(({ answers, groups }) => answers / groups)),
  };
}

function memoryRow(rounds: SigningRound[]) {
  const of = (key: keyof SigningRound['memory']) => median(rounds.map(({ memory }) => memory[key]));
  return {
    before: megabytes(of('before')),
    'at most': megabytes(of('peak')),
    after: megabytes(of('after')),
    'heap after': megabytes(of('heap')),
  };
}

/** Database connections of the usual way: the faster of two numbers. */
async function bestPoolSize(stage: PlainStage, signing: Signing): Promise<number> {
  const few = Math.ceil(stage.signers.length / 10);
  const short = {
    ...stage,
    warmUp: stage.warmUp.slice(0, few),
    signers: stage.signers.slice(0, few),
  };
  const tried = [];
  for (const size of [12, 32]) {
    const { rate } = await plainRound(short, withFewer(signing, 500), size);
    tried.push({ size, rate });
  }
  return tried.reduce((best, next) => (next.rate > best.rate ? next : best)).size;
}

await main();
