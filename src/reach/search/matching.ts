import type { Db, Query } from '../../platform/db.ts';
import { bestKnownThreshold, type WordIndex } from './cost-model.ts';
import { anyLexeme, filterQueries, quoted, type SearchFilters } from './document.ts';

/** Words in the title: tsqueries on `document` for the index, and one on `title` for rows. */
export interface TitleQueries {
  index: readonly string[];
  row: string;
}

/** Which documents match. */
export interface Match {
  /** tsqueries on `document` that must all match. */
  words: readonly string[];
  filters: SearchFilters;
  /** What must be in the title, besides `words`. */
  inTitle?: TitleQueries;
  /** A tsquery on `title` that must not match. */
  notInTitle?: string;
}

/** The condition on a row `d` that an index of words answers. */
export function byWordIndex(
  db: Db,
  { words, filters, inTitle, notInTitle }: Match,
  index: WordIndex = 'all',
): Query {
  const all = [...(inTitle?.index ?? words), ...filterQueries(filters)];
  if (all.length === 0) all.push(quoted(anyLexeme));
  return db`true ${all.map((query) => db`and d.document @@ ${query}::tsquery`)}
    ${index === 'all' ? db`` : db`and d.known >= ${db.unsafe(String(bestKnownThreshold))}`}
    ${notInTitle ? db`and not d.title @@ ${notInTitle}::tsquery` : db``}`;
}

/** The same condition for rows that are read anyway: columns first, since long documents are stored apart. */
export function byRow(db: Db, { words, filters, inTitle, notInTitle }: Match): Query {
  const { statuses = [], category, country, tagKeys = [] } = filters;
  return db`true
    ${statuses.length > 0 ? db`and d.status = any(${statuses})` : db``}
    ${category ? db`and d.category_id = ${category}` : db``}
    ${country ? db`and d.country = ${country}` : db``}
    ${tagKeys.length > 0 ? tagKeys.map((keys) => db`and d.tag_keys && ${keys}`) : db``}
    ${inTitle ? db`and d.title @@ ${inTitle.row}::tsquery` : db``}
    ${notInTitle ? db`and not d.title @@ ${notInTitle}::tsquery` : db``}
    ${words.length > 0 ? db`and d.document @@ ${words.join(' & ')}::tsquery` : db``}`;
}
