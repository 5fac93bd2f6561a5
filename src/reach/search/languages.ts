/** A stemmer and stop words of one language. */
export interface Language {
  code: string;
  stem: (word: string) => string;
  /** Not folded. */
  stopWords: readonly string[];
}

/** Module names of the stemmers, by ISO 639-1 code. */
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

const languages = new Map(
  await Promise.all(Object.entries(moduleNames).map(([code, name]) => load(code, name))),
);

/** The language of a BCP 47 tag (pt-BR); undefined without a stemmer. */
export function languageOf(tag: string): Language | undefined {
  const [primary = ''] = tag.trim().toLowerCase().split('-');
  return languages.get(primary === 'nb' || primary === 'nn' ? 'no' : primary);
}
