import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import { sizeAndCompletionsIn, sizeIn } from './estimating.ts';
import type { Filtered } from './filtering.ts';
import type { Language } from './languages.ts';
import { within } from './queries.ts';
import { formsOf, matchQuery, type Term } from './query.ts';
import { mostCompletions, type Begun } from './sample-queries.ts';
import { isCorrectable } from './typing-errors.ts';
import { usualShareInTitles, wordCount, type AnalyzedQuery } from './query-analysis.ts';
import type { KnownWord } from './word-queries.ts';

/** Where more documents have a word that begins so, gathering all that have one in the index takes milliseconds. */
const mostBegun = 1000;
/** Where more titles have one, those with a rare one may be passed over. */
const mostTitlesBegun = 250;
/** Such a part of titles with any of the completions has one of those that are taken. */
const shareCompleted = 0.95;

/** What was typed, and roughly how many documents have that. */
interface Sized {
  understood: AnalyzedQuery;
  size: number;
}

/**
 * The same with the commonest words of titles that the last one begins, where many have one: who types so
 * common a word has typed it to its end, or has those in mind.
 */
export async function complete(
  ctx: Context,
  db: Db,
  typed: AnalyzedQuery,
  { filters, share }: Filtered,
): Promise<Sized> {
  const { terms, languages } = typed;
  const match = within(filters, typed.words);
  const begun = terms.find(({ isPrefix }) => isPrefix);
  if (!begun) return { understood: typed, size: await sizeIn(ctx, db, match, share) };
  const forms = formsBegun(begun, languages);
  const asked = { match, share, begun: forms.begun };
  const { found: size, completions, relatives } = await sizeAndCompletionsIn(ctx, db, asked);
  const isAlone = wordCount(terms) === 1;
  const understood = isAlone
    ? { ...typed, ...inTitlesBy(forms, [...completions, ...relatives], { languages, size, share }) }
    : typed;
  if (completions.length === 0) return { understood: { ...understood, isUnheardOf: true }, size };
  const titles = sumOf(completions);
  const documents = isAlone ? size / share : titles / usualShareInTitles;
  const isAnyPassedOver = completions.length === mostCompletions;
  const areMany = isAnyPassedOver ? titles > mostTitlesBegun : documents > mostBegun;
  if (!areMany) return { understood, size };
  const taken = completions.filter(
    (_, n) => sumOf(completions.slice(0, n)) < titles * shareCompleted,
  );
  const completed = terms.map((term) =>
    term === begun
      ? { ...term, isPrefix: false, completions: taken.map(({ word }) => word) }
      : term,
  );
  const { inTitles, marks } = typed;
  return {
    understood: {
      ...understood,
      terms: completed,
      words: matchQuery(completed, languages),
      inTitles: inTitles.length > 0 ? matchQuery(completed, languages, marks) : [],
    },
    // Those of the completions are nearly as many.
    size,
  };
}

interface Forms {
  begun: Begun;
  forms: readonly string[];
  /** Whether titles are counted by all of them. */
  areCounted: boolean;
}

/** A word that is perhaps unfinished, its forms, and the root of them where titles are counted by words so short. */
function formsBegun({ words, written }: Term, languages: readonly Language[]): Forms {
  const [word = ''] = words;
  const forms = formsOf(word, languages, written);
  let root = word;
  while (!forms.every((form) => form.startsWith(root))) root = root.slice(0, -1);
  const areCounted = isCorrectable(root);
  return { begun: { word, root: areCounted ? root : word }, forms, areCounted };
}

/** In how many titles a lone word is in any form, and of all that have it in how large a part, by words of titles. */
function inTitlesBy(
  { begun, forms, areCounted }: Forms,
  known: KnownWord[],
  { languages, size, share }: { languages: readonly Language[]; size: number; share: number },
): Pick<AnalyzedQuery, 'titles' | 'shareInTitles'> {
  const isForm = (other: string) =>
    other.startsWith(begun.word) || formsOf(other, languages).some((form) => forms.includes(form));
  const titles = sumOf(known.filter((one) => isForm(one.word)));
  const part = Math.min((titles * share) / Math.max(size, 1), 1);
  return areCounted
    ? { titles, shareInTitles: part }
    : { shareInTitles: Math.max(part, usualShareInTitles) };
}

const sumOf = (words: KnownWord[]) => words.reduce((sum, { titles }) => sum + titles, 0);
