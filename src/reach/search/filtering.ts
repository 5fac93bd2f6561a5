import { tagKey } from '../../campaigns/petitions/list.ts';
import type { Context } from '../../platform/context.ts';
import { isCountry } from '../../platform/countries.ts';
import type { Db } from '../../platform/db.ts';
import { invalidValue } from '../../platform/problems.ts';
import { filterLexemes, quoted, type SearchFilters } from './document.ts';
import { sampleIn, sizeIn } from './estimating.ts';
import { simply, type Match, type Queries, type RowFilters } from './queries.ts';
import type { SearchQuery } from './schema.ts';

/** Filters as they stand in documents. @throws {Problem} validation-failed for a country that is none */
export function toFilters({ status, category, country, tag }: SearchQuery): SearchFilters {
  if (country && !isCountry(country)) {
    throw invalidValue('country', 'This is no country of ISO 3166-1.');
  }
  return {
    status,
    category: category?.toLowerCase(),
    country: country?.toUpperCase(),
    tag: tag && tagKey(tag),
  };
}

/** As tsquery, one for each. */
export const lexemesOf = (filters: SearchFilters): string[] => filterLexemes(filters).map(quoted);

/** Filters as they are looked up beside words. */
export interface Filtered {
  filters: Match;
  /** About so large a part of all documents meets them: 0 to 1. */
  share: number;
  /** And those of them that are perhaps looked at in the rows: the common and the usual ones. */
  commonShare: number;
  /** And the rarest of those that are looked up. */
  lookedUpShare: number;
}

/** Where there are no filters. */
export const unfiltered: Filtered = {
  filters: simply(),
  share: 1,
  commonShare: 1,
  lookedUpShare: 1,
};

/**
 * A filter that so large a part of all documents meets is looked at in the rows that have the words: the index
 * would go through most of its long list for them.
 */
const mostIndexed = 1 / 4;
/** Where so large a part meets it, that is so in the small indexes of tiers and of the sample, too. */
const mostLookedUp = 1 / 2;

/** Parts those filters that many documents meet from the others, where there are words to find documents by. */
export async function partFilters(
  ctx: Context,
  db: Db,
  wanted: SearchFilters,
  words: Queries,
): Promise<Filtered> {
  const common: RowFilters = {};
  const usual: RowFilters = {};
  const others = { ...wanted };
  let [share, commonShare, lookedUpShare] = [1, 1, 1];
  const part = async (name: keyof SearchFilters) => {
    const [lexeme] = lexemesOf({ [name]: wanted[name] });
    if (lexeme === undefined) return;
    const { of } = await sampleIn(ctx, db);
    const met = Math.min((await sizeIn(ctx, db, simply(lexeme))) / Math.max(of, 1), 1);
    share *= met;
    if (name === 'tag' || met <= mostIndexed) {
      lookedUpShare = Math.min(lookedUpShare, met);
      return;
    }
    (met > mostLookedUp ? usual : common)[name] = wanted[name];
    delete others[name];
    commonShare *= met;
  };
  if (words.length > 0) {
    await Promise.all((['status', 'category', 'country', 'tag'] as const).map(part));
  }
  const filters: Match = { queries: lexemesOf(others), common, usual };
  return { filters, share, commonShare, lookedUpShare };
}
