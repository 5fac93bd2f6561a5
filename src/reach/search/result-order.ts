import type { Db } from '../../platform/db.ts';
import type { ResultEstimate } from './estimate.ts';
import type { FacetGroup } from './facets.ts';
import type { Match } from './matching.ts';
import type { AnalyzedQuery } from './query-analysis.ts';

/** What is read of a result. */
export interface PageRequest extends Pick<AnalyzedQuery, 'inTitle' | 'ranking'> {
  match: Match;
  /** Estimates by which the way of reading is chosen. */
  size: Pick<ResultEstimate, 'documents' | 'bestKnown' | 'total' | 'inTitle'>;
  limit: number;
}

/** A petition of a page, and the cursor behind it. */
export interface ResultRow {
  id: string;
  cursor: string;
}

/** How a result is read in the order and behind the cursor that were asked for. */
export interface ResultOrder {
  /** Whether the cursor is of a large result; undefined if the size decides. */
  isLarge: boolean | undefined;
  /** The page and the counts of a small result, which is read as a whole. */
  readExact(db: Db, request: PageRequest): Promise<{ rows: ResultRow[]; groups: FacetGroup[] }>;
  /** The page of a large result. */
  readPage(db: Db, request: PageRequest): Promise<ResultRow[]>;
}
