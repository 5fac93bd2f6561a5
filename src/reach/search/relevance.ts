import { decodeCursor, encodeCursor, type KeyKind } from '../../platform/cursor.ts';
import type { Db } from '../../platform/db.ts';
import * as queries from './queries.ts';
import { end, start, type Match, type Place, type Ranked, type Ranking } from './queries.ts';

/** In what part of a result a page ends. */
type Phase = 'all' | 'titles' | 'rest';

/** The place after a petition in the order of relevance. */
export interface Position {
  phase: Phase;
  key: number;
  id: string;
  /** Of titles: the stretch that is ranked together. */
  after: Place;
  upTo: Place;
}

const list = 'search.relevance';
type Keys = [Phase, number, string, number, string, number, string];
const kinds: KeyKind[] = ['text', 'integer', 'uuid', 'integer', 'uuid', 'integer', 'uuid'];

export function decodePosition(cursor: string | undefined): Position | null {
  const keys = decodeCursor(list, kinds, cursor);
  if (!keys) return null;
  const [phase, key, id, prior, from, lastPrior, last] = keys as Keys;
  return { phase, key, id, after: { prior, id: from }, upTo: { prior: lastPrior, id: last } };
}

export const encodePosition = ({ phase, key, id, after, upTo }: Position): string =>
  encodeCursor(list, [phase, key, id, after.prior, after.id, upTo.prior, upTo.id]);

/** Titles that are ranked together, and rows that are looked at for them. */
const stretchSize = 100;
const titleBudget = 25_000;
/** Rows whose whole texts are looked at for a page: these are read from where long values stand. */
const textBudget = 6000;

export interface LargeResult {
  match: Match;
  ranking: Ranking | null;
  /** So many match by their titles that walking finds them sooner than fetching all. */
  manyTitles: boolean;
}

/**
 * Petitions of a result that is too large to be ranked as a whole. Those that have the words in their
 * titles come first: stretch by stretch of the best known ones, each ranked by how well it fits. Then the
 * rest, by how well they are known.
 */
export async function readLarge(
  db: Db,
  result: LargeResult,
  after: Position | null,
  limit: number,
): Promise<Position[]> {
  const found: Position[] = [];
  let phase: Phase = after?.phase ?? (result.ranking ? 'titles' : 'rest');
  let stretch = after?.phase === 'titles' ? { after: after.after, upTo: after.upTo } : undefined;
  let next = start;
  while (phase === 'titles' && found.length < limit) {
    const members = await readTitles(db, result, stretch ?? { after: next, upTo: end });
    if (!stretch) {
      const last = members.length < stretchSize ? end : members.at(-1)!;
      stretch = { after: next, upTo: { prior: last.prior, id: last.id } };
    }
    const bounds = stretch;
    const ranked = members.toSorted((a, b) => b.score - a.score || (a.id < b.id ? 1 : -1));
    const isNext = ({ score, id }: Ranked) =>
      after === null || score < after.key || (score === after.key && id < after.id);
    found.push(
      ...ranked.filter(isNext).map(({ score, id }) => ({ phase, key: score, id, ...bounds })),
    );
    if (bounds.upTo.prior === end.prior) phase = 'rest';
    next = bounds.upTo;
    stretch = undefined;
    after = null;
  }
  if (found.length >= limit) return found.slice(0, limit);
  const from = after?.phase === 'rest' ? { prior: after.key, id: after.id } : start;
  const rest = await readRest(db, result, from, limit - found.length);
  const nowhere = { after: start, upTo: end };
  found.push(
    ...rest.map(({ prior, id }) => ({ phase: 'rest' as const, key: prior, id, ...nowhere })),
  );
  return found;
}

/** A stretch whose end is known, or the next ones by how well they are known. */
async function readTitles(
  db: Db,
  { match, ranking, manyTitles }: LargeResult,
  bounds: { after: Place; upTo: Place },
): Promise<Ranked[]> {
  const stretch = { match, part: 'title', ...bounds } as const;
  // What was added within the bounds since is ranked with them.
  const limit = bounds.upTo.prior === end.prior ? stretchSize : 10 * stretchSize;
  if (manyTitles) {
    const walked = await queries.walkByPrior(db, stretch, ranking, { budget: titleBudget, limit });
    if (walked.length >= stretchSize) return walked;
  }
  return queries.gatherByPrior(db, stretch, ranking, limit);
}

async function readRest(
  db: Db,
  { match, ranking }: LargeResult,
  after: Place,
  limit: number,
): Promise<Ranked[]> {
  const stretch = { match, part: 'document', after, upTo: end } as const;
  const rest = ranking ? ({ ...stretch, except: 'title' } as const) : stretch;
  const walked = await queries.walkByPrior(db, rest, null, { budget: textBudget, limit });
  return walked.length >= limit ? walked : queries.gatherByPrior(db, rest, null, limit);
}
