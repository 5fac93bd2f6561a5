/** What an analyser of one language knows. */
export interface Language {
  code: string;
  stem: (word: string) => string;
  /** As they stand in texts: not folded. */
  stopWords: readonly string[];
}

/** Languages whose words can be stemmed, by the names of their modules. */
const moduleNames = {
  ar: 'arabic',
  bg: 'bulgarian',
  da: 'danish',
  de: 'german',
  el: 'greek',
  en: 'english',
  es: 'spanish',
  fi: 'finnish',
  fr: 'french',
  ga: 'irish',
  hu: 'hungarian',
  hy: 'armenian',
  id: 'indonesian',
  it: 'italian',
  lt: 'lithuanian',
  ne: 'nepali',
  nl: 'dutch',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sr: 'serbian',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
  uk: 'ukrainian',
} as const;

async function load(code: string, name: string): Promise<[string, Language]> {
  const { stemmer } = (await import(`@orama/stemmers/${name}`)) as {
    stemmer: (word: string) => string;
  };
  const { stopwords } = (await import(`@orama/stopwords/${name}`)) as { stopwords: string[] };
  return [code, { code, stem: stemmer, stopWords: stopwords }];
}

const known = new Map(
  await Promise.all(Object.entries(moduleNames).map(([code, name]) => load(code, name))),
);

/** The language of a BCP 47 tag, such as pt-BR, where its words can be stemmed. */
export function languageOf(tag: string): Language | undefined {
  const [primary = ''] = tag.trim().toLowerCase().split('-');
  return known.get(primary === 'nb' || primary === 'nn' ? 'no' : primary);
}
