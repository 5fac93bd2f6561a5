import type { Backfill } from '../../platform/backfills.ts';
import type { Context } from '../../platform/context.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import type { EventFollower } from '../../platform/followers.ts';
import { plainTextOf } from '../../platform/markdown/markdown.ts';
import { StepWorker } from '../../platform/workers.ts';
import { wordsOf } from './analysis.ts';
import { vectorsOf } from './document.ts';
import * as queries from './indexing-queries.ts';
import { languageOf } from './languages.ts';
import { isCorrectable, variantsOf } from './typing-errors.ts';

/** Documents that one transaction writes. */
const batchSize = 100;

/** The worker that writes documents of changed petitions. */
export const createIndexer = (ctx: Context) =>
  new StepWorker({ name: 'search documents', idleMs: 200, step: () => indexChanges(ctx) }, ctx.log);

/** Writes one batch of documents. Returns whether there may be more to write. */
export function indexChanges({ pools }: Pick<Context, 'pools'>): Promise<boolean> {
  return transaction(pools.main, async (tx) => {
    const changes = await queries.takeChanges(tx, batchSize);
    if (changes.length === 0) return false;
    const ids = [...new Set(changes)];
    const petitions = await queries.readPetitions(tx, ids);
    await queries.removeUnlisted(tx, ids);
    if (petitions.length > 0) await write(tx, petitions);
    return changes.length === batchSize;
  });
}

async function write(tx: Tx, petitions: queries.PetitionToIndex[]): Promise<void> {
  const sources = [];
  for (const stored of petitions) {
    const petition = { ...stored, description: plainTextOf(stored.description) };
    const language = petition.language ?? (await detectLanguage(petition));
    sources.push({ ...petition, language });
  }
  const documents = sources.map((source) => ({ ...source, ...vectorsOf(source) }));
  const indexed = await queries.readTitleLexemes(
    tx,
    sources.map(({ id }) => id),
  );
  const added = await queries.writeDocuments(
    tx,
    documents.map(({ tags: _tags, description: _description, ...document }) => document),
  );
  const words = newWordsOfTitles(sources, indexed);
  if (words.length > 0) await queries.countWords(tx, words);
  const addedSources = sources.filter(({ id }) => added.has(id));
  if (addedSources.length > 0) await queries.countLanguages(tx, languagesOf(addedSources));
}

/** Letters of a text from which its language is detected as well as from all. */
const detectedLength = 1000;

/** ISO 639-1 code; null if not reliable. Loaded on first use: the detector takes 100 MB of memory. */
async function detectLanguage({
  title,
  description,
}: queries.PetitionToIndex): Promise<string | null> {
  const { eld } = await import('eld/small');
  const detected = eld.detect(`${title}. ${description}`.slice(0, detectedLength));
  return detected.language && detected.isReliable() ? detected.language : null;
}

/** Counts words that the titles and tags did not have when they were indexed last. */
function newWordsOfTitles(
  petitions: { id: string; title: string; tags: string[] }[],
  indexed: ReadonlyMap<string, ReadonlySet<string>>,
): queries.CountedWord[] {
  const counts = new Map<string, number>();
  for (const { id, title, tags } of petitions) {
    for (const word of new Set(wordsOf([title, ...tags].join(' ')).filter(isCorrectable))) {
      if (!indexed.get(id)?.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return [...counts].map(([word, titles]) => ({ word, titles, variants: variantsOf(word) }));
}

function languagesOf(petitions: { language: string | null }[]) {
  const languages = petitions.flatMap(({ language }) => language ?? []).filter(languageOf);
  const byLanguage = Map.groupBy(languages, (language) => language);
  return [...byLanguage].map(([language, all]) => ({ language, documents: all.length }));
}

const lowestId = '00000000-0000-0000-0000-000000000000';
/** Petitions that one step of the backfill reads. */
const backfillSize = 200;

/** Has documents of petitions with links in Markdown written again, without the words of the addresses. */
export const linksBackfill: Backfill = {
  name: 'search-markdown-links',
  async step(db, cursor) {
    const ids = await queries.queueLinks(db, cursor ?? lowestId, backfillSize);
    const last = ids.at(-1);
    return last === undefined ? null : { cursor: last, rows: ids.length };
  },
};

/** Documents that one step of the backfill writes: about 50 ms. */
const rewriteSize = 25;

/** Writes all documents again, with the joined words of compounds. */
export const joinedWordsBackfill: Backfill = {
  name: 'search-joined-words',
  total: (db) => queries.countDocuments(db),
  step: (db, cursor) =>
    transaction(db, async (tx) => {
      await queries.lockIndexing(tx);
      const ids = await queries.documentsAfter(tx, cursor ?? lowestId, rewriteSize);
      const last = ids.at(-1);
      if (last === undefined) return null;
      const petitions = await queries.readPetitions(tx, ids);
      if (petitions.length > 0) await write(tx, petitions);
      return { cursor: last, rows: ids.length };
    }),
};

/** Updates the buckets of documents after signing, so that signing itself writes no document. */
export const bucketsFollower: EventFollower = {
  name: 'search',
  types: ['signature.created', 'signature.removed', 'signature.invalidated', 'signature.restored'],
  handleEvents: (tx, events) =>
    queries.refreshBuckets(tx, [...new Set(events.flatMap(({ petitionId }) => petitionId ?? []))]),
};
