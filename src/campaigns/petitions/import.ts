import { createUser, findUserByEmail } from '../../identity/accounts/accounts.ts';
import type { Context } from '../../platform/context.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import { slugCandidates, slugify } from '../../platform/slug.ts';
import * as queries from './import-queries.ts';
import {
  idFormOf,
  RowReader,
  type IdForm,
  type ImportedPetition,
  type LeftOut,
  type SourceRow,
} from './import-rows.ts';
import { forgetPetitions } from './reading.ts';

export type { LeftOut, SourceRow } from './import-rows.ts';

export interface ImportOptions {
  /** Names where the rows come from: a row's id is imported once from each source. */
  source: string;
  /** Gives the text of a petition whose source has no column of descriptions. */
  describe: (id: string, title: string) => string;
  /** What ids look like; without it, the first rows decide. */
  idForm?: IdForm | undefined;
  onLeftOut: (row: LeftOut) => void;
  onProgress: (tally: ImportTally) => void;
}

export interface ImportTally {
  imported: number;
  alreadyThere: number;
  leftOut: number;
}

/** Rows stored by one statement and one transaction. */
const batchSize = 500;

/**
 * Stores petitions of another service, with their dates and their counts as numbers. What was
 * imported from the source before is left as it is, so an import that broke off can be run again,
 * and two that run at once add each petition once.
 */
export async function importPetitions(
  ctx: Context,
  rows: AsyncIterable<SourceRow>,
  options: ImportOptions,
): Promise<ImportTally> {
  const tally: ImportTally = { imported: 0, alreadyThere: 0, leftOut: 0 };
  let reader: RowReader | undefined;
  let creatorId: string | undefined;
  for await (const batch of batchesOf(rows)) {
    // The first batch is the sample from which the form of the ids is known.
    reader ??= new RowReader({
      idForm: options.idForm ?? idFormOf(batch.map(({ values }) => values.id?.trim() ?? '')),
      describe: options.describe,
      now: ctx.now(),
    });
    const petitions: ImportedPetition[] = [];
    for (const row of batch) {
      const read = reader.read(row);
      if ('reason' in read) {
        tally.leftOut += 1;
        options.onLeftOut(read);
      } else {
        petitions.push(read);
      }
    }
    creatorId ??= await importAccount(ctx, options.source);
    const imported = await storeBatch(ctx, options.source, creatorId, petitions);
    tally.imported += imported;
    tally.alreadyThere += petitions.length - imported;
    options.onProgress(tally);
  }
  return tally;
}

async function* batchesOf(rows: AsyncIterable<SourceRow>): AsyncGenerator<SourceRow[]> {
  let batch: SourceRow[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length === batchSize) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

/** Gives how many were new. */
async function storeBatch(
  ctx: Context,
  source: string,
  creatorId: string,
  petitions: ImportedPetition[],
): Promise<number> {
  const stored = await transaction(ctx.db, async (tx) => {
    await queries.lockImports(tx);
    const ids = petitions.map(({ externalId }) => externalId);
    const known = await queries.importedIds(tx, source, ids);
    const fresh = petitions.filter(({ externalId }) => !known.has(externalId));
    await insertUnderFreeSlugs(tx, source, creatorId, fresh);
    return fresh.length;
  });
  forgetPetitions(ctx, []);
  return stored;
}

/** Stores all under the plain slugs, then those whose slug is taken under the next candidates. */
async function insertUnderFreeSlugs(
  tx: Tx,
  source: string,
  creatorId: string,
  petitions: ImportedPetition[],
): Promise<void> {
  let waiting = petitions.map((petition) => ({
    ...petition,
    id: newId(),
    candidates: slugCandidates(slugify(petition.title, 'petition')),
  }));
  while (waiting.length > 0) {
    const tried = waiting.map(({ candidates, ...petition }) => {
      const { value } = candidates.next();
      if (!value) throw new Error('no free slug was found');
      return { ...petition, slug: value };
    });
    const stored = await queries.insertImported(tx, source, creatorId, tried);
    waiting = waiting.filter(({ id }) => !stored.has(id));
  }
}

/** The account that stands as creator of what comes from a source. Nobody can log in to it. */
async function importAccount(ctx: Context, source: string): Promise<string> {
  const localPart = `import+${slugify(source, 'petitions').slice(0, 50)}`;
  const email = `${localPart}@${new URL(ctx.config.baseUrl).hostname}`;
  // It is looked for under the lock of imports, so two that begin at once make it once.
  return transaction(ctx.db, async (tx) => {
    await queries.lockImports(tx);
    const user = await findUserByEmail(tx, email);
    if (user?.password_hash) {
      throw new Error(`${email} is somebody's account. Name another source with --source.`);
    }
    if (user) return user.id;
    const displayName = `Imported: ${source}`.slice(0, 100);
    return (await createUser(tx, { id: newId(), email, passwordHash: null, displayName })).id;
  });
}
