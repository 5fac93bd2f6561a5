import { makeVariants } from '../src/campaigns/media/pictures.ts';
import { costlyPictures } from '../test/support/costly-pictures.ts';
import { startChild } from './support/child.ts';
import { createDatabase } from './support/database.ts';
import type { LoadProcess } from './support/load.ts';
import { median, print, table, verdict } from './support/report.ts';
import { settings } from './support/settings.ts';
import { connections, prepareStage, signingRound } from './support/signing-round.ts';

/** Pictures that are processed, and those at the same time, as the queues of the service allow. */
const [pictures, atOnce] = [50, 2];

/** Measures signing while pictures that are costly to decode are processed, against signing alone. */
async function main(): Promise<void> {
  await using database = await createDatabase();
  const { url: databaseUrl, db } = database;
  await using load = startChild<LoadProcess>('./load.ts');
  const stage = await prepareStage(
    { databaseUrl, db, load },
    { signatures: settings.signatures, warmUp: 500 },
  );
  const files = await costlyPictures();
  const rates: Record<'alone' | 'beside', number[]> = { alone: [], beside: [] };
  const seconds: number[] = [];
  for (let round = 0; round < settings.rounds; round += 1) {
    rates.alone.push((await signingRound(stage, { petitions: 1 })).rate);
    const decoding = decodeUntilStopped(files, seconds);
    rates.beside.push((await signingRound(stage, { petitions: 1 })).rate);
    await decoding.stop(round === settings.rounds - 1 ? pictures : 0);
  }
  const ratio = median(rates.beside) / median(rates.alone);
  const longest = Math.max(...seconds);
  print(
    `### ${settings.signatures.toLocaleString('en')} signatures of one petition, ${connections} connections, medians of ${settings.rounds} rounds`,
    table([
      {
        'signatures/s alone': median(rates.alone),
        'while pictures are decoded': median(rates.beside),
        ratio,
        wanted: verdict(ratio, { atLeast: 0.9 }),
      },
    ]),
    `### ${seconds.length} costly pictures, ${atOnce} at a time`,
    table([
      {
        'median s': median(seconds),
        'longest s': longest,
        wanted: verdict(longest, { atMost: 6 }),
      },
    ]),
  );
}

/** Decodes the files again and again. `stop` ends it once at least that many were decoded. */
function decodeUntilStopped(files: Buffer[], seconds: number[]) {
  let atLeast = Infinity;
  let next = 0;
  const decode = async () => {
    while (seconds.length < atLeast) {
      const start = performance.now();
      // Most are given up.
      await makeVariants(files[next++ % files.length]!).catch(() => {});
      seconds.push((performance.now() - start) / 1000);
    }
  };
  const running = Array.from({ length: atOnce }, decode);
  return {
    async stop(wanted: number): Promise<void> {
      atLeast = wanted;
      await Promise.all(running);
    },
  };
}

await main();
