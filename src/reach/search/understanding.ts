import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import { inFront, type Mark } from './document.ts';
import { sizeAndCompletionsIn, sizeIn } from './estimating.ts';
import type { Filtered } from './filtering.ts';
import { languageOf, type Language } from './languages.ts';
import { within, type Queries, type Ranking } from './queries.ts';
import {
  allOf,
  formsOf,
  matchQuery,
  parseQuery,
  rankQuery,
  termQuery,
  wordQuery,
  type Term,
} from './query.ts';
import { mostCompletions } from './sample-queries.ts';
import { isMendable, isNear, isNearBeginning, variantsTyped } from './typing-errors.ts';
import * as queries from './word-queries.ts';

/** What somebody typed, as the database is asked for it. */
export interface Understood {
  terms: Term[];
  languages: Language[];
  /** What is looked at as titles. */
  marks: readonly Mark[];
  /** What must be there; nothing where no word was typed. */
  words: Queries;
  /** The same in titles; nothing where no word is wanted. */
  inTitles: Queries;
  /** Of documents that have the words, such a part has them in titles, about: 0 to 1. */
  shareInTitles: number;
  /** No title has a word that begins as the last one: it is perhaps misspelt. */
  isUnheardOf?: boolean;
  /** Null where nothing is wanted, such as where all words are excluded. */
  ranking: Ranking | null;
}

/** Languages of the documents that words are tried in, beside that of whoever types. */
const mostCommon = 4;

/**
 * In which languages words are understood: the one that was named, or those that the browser prefers;
 * English; and those that most documents are in.
 */
export async function languagesFor(
  ctx: Context,
  db: Db,
  {
    language,
    acceptLanguage,
  }: { language?: string | undefined; acceptLanguage?: string | undefined },
): Promise<Language[]> {
  const common = await ctx.cache.read('search-languages', '', () =>
    queries.mainLanguages(db, mostCommon),
  );
  const preferred = language ? [language] : preferredOf(acceptLanguage);
  const known = [...preferred, 'en', ...common].flatMap((tag) => languageOf(tag) ?? []);
  return [...new Set(known)];
}

/** The two first of an Accept-Language header. */
const preferredOf = (header = ''): string[] =>
  header
    .slice(0, 200)
    .split(',', 2)
    .map((part) => part.split(';')[0]!.trim());

/** Understands what was typed; `marks` say what is looked at as titles. */
export function understand(
  text: string,
  languages: Language[],
  marks: readonly Mark[] = inFront,
): Understood {
  const { terms, whole } = parseQuery(text, languages);
  const wanted = rankQuery(terms, languages);
  return {
    terms,
    languages,
    marks,
    words: matchQuery(terms, languages),
    inTitles: wanted === null ? [] : matchQuery(terms, languages, marks),
    shareInTitles: usualShareInTitles ** wordCount(terms),
    ranking: wanted === null ? null : { words: wanted, whole },
  };
}

/** Of documents that have a word, so many have it in title or tags, about. */
const usualShareInTitles = 1 / 8;

const wordCount = (terms: Term[]) =>
  terms.filter(({ isExcluded }) => !isExcluded).flatMap(({ words }) => words).length;

/** Where more documents have a word that begins so, gathering all that have one in the index takes milliseconds. */
const mostBegun = 1000;
/** Where more titles have one, those with a rare one may be passed over. */
const mostTitlesBegun = 250;
/** Such a part of titles with any of the completions has one of those that are taken. */
const shareCompleted = 0.95;

/** What was typed, and roughly how many documents have that. */
interface Sized {
  understood: Understood;
  size: number;
}

/**
 * The same with the commonest words of titles that the last one begins, where many have one: who types so
 * common a word has typed it to its end, or has those in mind.
 */
export async function complete(
  ctx: Context,
  db: Db,
  understood: Understood,
  { filters, share }: Filtered,
): Promise<Sized> {
  const { terms, languages, marks, words, inTitles } = understood;
  const match = within(filters, words);
  const begun = terms.find(({ isPrefix }) => isPrefix);
  if (!begun) return { understood, size: await sizeIn(ctx, db, match, share) };
  const [word = ''] = begun.words;
  const forms = formsOf(word, languages, begun.written);
  const root = commonBeginning(forms);
  // Shorter words are not counted.
  const areFormsKnown = isMendable(root);
  const { found, completions, relatives } = await sizeAndCompletionsIn(ctx, db, {
    match,
    share,
    begun: { word, root: areFormsKnown ? root : word },
  });
  if (completions.length === 0) {
    return { understood: { ...understood, isUnheardOf: true }, size: found };
  }
  const titles = sumOf(completions);
  const isAlone = wordCount(terms) === 1;
  const documents = isAlone ? found / share : titles / usualShareInTitles;
  const isAnyPassedOver = completions.length === mostCompletions;
  const areMany = isAnyPassedOver ? titles > mostTitlesBegun : documents > mostBegun;
  if (!areMany) return { understood, size: found };
  const taken = completions.filter(
    (_, n) => sumOf(completions.slice(0, n)) < titles * shareCompleted,
  );
  const completed = terms.map((term) =>
    term === begun ? { ...term, isPrefix: false, completions: taken.map((one) => one.word) } : term,
  );
  const isForm = (other: string) => formsOf(other, languages).some((form) => forms.includes(form));
  const withForms = titles + sumOf(relatives.filter((other) => isForm(other.word)));
  const shareOfForms = Math.min((withForms * share) / Math.max(found, 1), 1);
  return {
    understood: {
      ...understood,
      terms: completed,
      words: matchQuery(completed, languages),
      inTitles: inTitles.length > 0 ? matchQuery(completed, languages, marks) : [],
      // Where no other word is wanted.
      shareInTitles: isAlone
        ? Math.max(shareOfForms, areFormsKnown ? 0 : usualShareInTitles)
        : understood.shareInTitles,
    },
    // Those of the completions are nearly as many.
    size: found,
  };
}

function commonBeginning(words: readonly string[]): string {
  let [beginning = ''] = words;
  while (!words.every((word) => word.startsWith(beginning))) beginning = beginning.slice(0, -1);
  return beginning;
}

const sumOf = (words: queries.KnownWord[]) => words.reduce((sum, { titles }) => sum + titles, 0);

/** Words that one misspelt word is taken for at most. */
const mostMeant = 20;

/**
 * The same with words that titles have instead of those that were perhaps misspelt: each that no title
 * has, else one of all. Undefined where there are none.
 */
export async function mend(
  db: Db,
  { terms, languages, marks, ranking }: Understood,
): Promise<Understood | undefined> {
  const typed = terms.filter(
    ({ isExcluded, isPhrase, words: [word = ''] }) => !isExcluded && !isPhrase && isMendable(word),
  );
  if (typed.length === 0 || ranking === null) return undefined;
  const [known, near] = await Promise.all([
    queries.knownWords(
      db,
      typed.map(({ words }) => words[0]!),
    ),
    Promise.all(typed.map((term) => wordsMeantBy(db, term))),
  ]);
  const meant = new Map(typed.map((term, n) => [term, near[n]!] as const));
  for (const [term, words] of meant) if (words.length === 0) meant.delete(term);
  const unknown = typed.filter(({ words }) => !known.some(({ word }) => word === words[0]));
  if (meant.size === 0 || unknown.some((term) => !meant.has(term))) return undefined;
  const instead = (mended: Term[], places?: readonly Mark[]) =>
    allOf(terms, (term) =>
      mended.includes(term)
        ? wordQuery(meant.get(term)!, languages, places)
        : termQuery(term, languages, places),
    );
  const anyInstead = (places?: readonly Mark[]) =>
    `(${[...meant.keys()].map((term) => `(${instead([term], places).join(' & ')})`).join(' | ')})`;
  const allInstead = (places?: readonly Mark[]) =>
    unknown.length > 0 ? instead(unknown, places) : [anyInstead(places)];
  const wanted = [
    ranking.words,
    ...[...meant.values()].map((words) => wordQuery(words, languages)),
  ];
  return {
    // What is mended is not completed.
    terms: terms.map((term) => ({ ...term, isPrefix: false })),
    languages,
    marks,
    words: allInstead(),
    inTitles: allInstead(marks),
    shareInTitles: usualShareInTitles ** wordCount(terms),
    ranking: { ...ranking, words: wanted.join(' | ') },
  };
}

async function wordsMeantBy(db: Db, { words, isPrefix }: Term): Promise<string[]> {
  const typed = words[0]!;
  const near = await queries.wordsNear(db, variantsTyped(typed));
  return near
    .map(({ word }) => word)
    .filter((word) => word !== typed)
    .filter((word) => isNear(typed, word) || (isPrefix && isNearBeginning(typed, word)))
    .slice(0, mostMeant);
}
