import { insertGroup } from '../src/campaigns/signatures/signing-queries.ts';
import { openPool, type Pool } from '../src/platform/db.ts';
import { newId } from '../src/platform/ids.ts';
import { createDatabase } from './support/database.ts';
import { createPetition, createUsers } from './support/people.ts';
import { median, print, table } from './support/report.ts';
import { settings } from './support/settings.ts';

const groupSize = 64;

/** Measures the cost of the foreign keys that `signatures` does not have: storing groups with and without them. */
async function main(): Promise<void> {
  await using database = await createDatabase();
  const { db, url } = database;
  const users = await createUsers(db, settings.signatures);
  const signing = openPool(url, { name: 'signing', max: 1 });
  const rates = { without: [] as number[], with: [] as number[] };
  for (let round = 0; round < settings.rounds * 2; round += 1) {
    const petition = await createPetition(db, users[0]!);
    const side = round % 2 === 0 ? 'without' : 'with';
    await db.unsafe(side === 'with' ? addKeys : dropKeys);
    rates[side].push(await signAll(signing, petition.id, users));
  }
  await signing.end();
  const [bare, checked] = [median(rates.without), median(rates.with)];
  print(
    `### ${settings.signatures} signatures in groups of ${groupSize}, one connection, without HTTP`,
    table([
      { keys: 'none', 'signatures/s': bare },
      { keys: 'to petitions and users', 'signatures/s': checked },
      { keys: 'ratio', 'signatures/s': checked / bare },
    ]),
  );
}

const addKeys = `alter table signatures
  add constraint signatures_petition foreign key (petition_id) references petitions not valid,
  add constraint signatures_user foreign key (user_id) references users not valid`;
const dropKeys = `alter table signatures
  drop constraint if exists signatures_petition, drop constraint if exists signatures_user`;

/** Returns signatures a second. */
async function signAll(pool: Pool, petitionId: string, users: string[]): Promise<number> {
  const start = performance.now();
  for (let from = 0; from < users.length; from += groupSize) {
    const requests = users.slice(from, from + groupSize).map((userId) => ({
      id: newId(),
      petitionId,
      userId,
      isAnonymous: false,
      comment: null,
      displayLocation: null,
      signerName: null,
      updates: false,
      consentVersion: null,
      privacyVersion: null,
      place: null,
      source: null,
      shareId: null,
      block: null,
      hasCode: false,
      origin: null,
      country: null,
      device: 'u' as const,
    }));
    await insertGroup(pool, requests, { requireVerified: false, domainBlocks: [] });
  }
  return (users.length / (performance.now() - start)) * 1000;
}

await main();
