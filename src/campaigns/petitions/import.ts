import { createUser, findUserByEmail } from '../../identity/accounts/accounts.ts';
import type { Context } from '../../platform/context.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import { slugCandidates, slugify } from '../../platform/slug.ts';
import * as queries from './import-queries.ts';
import {
  inferIdFormat,
  RowReader,
  type IdFormat,
  type ImportedPetition,
  type RejectedRow,
  type SourceRow,
} from './import-rows.ts';
import { evictPetitions } from './cache.ts';

export type { RejectedRow, SourceRow } from './import-rows.ts';

export interface ImportOptions {
  /** Names the origin of the rows. Each id is imported once per source. */
  source: string;
  /** Returns the description of a petition whose source has none. */
  describe: (id: string, title: string) => string;
  /** The format of ids; inferred from the first batch by default. */
  idFormat?: IdFormat | undefined;
  onRejectedRow: (row: RejectedRow) => void;
  onProgress: (tally: ImportTally) => void;
}

export interface ImportTally {
  imported: number;
  alreadyThere: number;
  leftOut: number;
}

/** Rows per statement and transaction. */
const batchSize = 500;

/**
 * Imports petitions of another service, with their dates and signature counts. Skips petitions that were
 * imported from the source before, so an interrupted import can be repeated, and concurrent imports add
 * each petition once.
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
    // The first batch is the sample for the format of the ids.
    reader ??= new RowReader({
      idForm: options.idFormat ?? inferIdFormat(batch.map(({ values }) => values.id?.trim() ?? '')),
      describe: options.describe,
      now: ctx.now(),
    });
    const petitions: ImportedPetition[] = [];
    for (const row of batch) {
      const read = reader.read(row);
      if ('reason' in read) {
        tally.leftOut += 1;
        options.onRejectedRow(read);
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

/** Returns how many petitions were new. */
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
  evictPetitions(ctx, []);
  return stored;
}

/** Tries the first slug of each petition, then the next candidates for those whose slug is taken. */
async function insertUnderFreeSlugs(
  tx: Tx,
  source: string,
  creatorId: string,
  petitions: ImportedPetition[],
): Promise<void> {
  let pending = petitions.map((petition) => ({
    ...petition,
    id: newId(),
    candidates: slugCandidates(slugify(petition.title, 'petition')),
  }));
  while (pending.length > 0) {
    const attempted = pending.map(({ candidates, ...petition }) => {
      const { value } = candidates.next();
      if (!value) throw new Error('no free slug was found');
      return { ...petition, slug: value };
    });
    const stored = await queries.insertImported(tx, source, creatorId, attempted);
    pending = pending.filter(({ id }) => !stored.has(id));
  }
}

/** Returns the account that is the creator of a source's petitions. It has no password. */
async function importAccount(ctx: Context, source: string): Promise<string> {
  const localPart = `import+${slugify(source, 'petitions').slice(0, 50)}`;
  const email = `${localPart}@${new URL(ctx.config.baseUrl).hostname}`;
  // The lock keeps concurrent imports from creating it twice.
  return transaction(ctx.db, async (tx) => {
    await queries.lockImports(tx);
    const user = await findUserByEmail(tx, email);
    if (user?.password_hash) {
      throw new Error(`${email} is somebody's account. Name another source with --source.`);
    }
    if (user) return user.id;
    const displayName = `Imported: ${source}`.slice(0, 100);
    return (await createUser(tx, ctx.keys, { id: newId(), email, passwordHash: null, displayName }))
      .id;
  });
}
