/** Maximum number of examples of a check in a report. */
const maxExamples = 5;

/** A consistency check: counts what was checked and what is wrong, with examples. */
export class Check {
  readonly name: string;
  /** The things that are checked, in the plural. */
  readonly subject: string;
  lookedAt = 0;
  wrong = 0;
  /** With ids, without anything that names a person. */
  readonly examples: string[] = [];
  /** Undecided cases, and why. */
  readonly notes: string[] = [];

  constructor(name: string, subject: string) {
    this.name = name;
    this.subject = subject;
  }

  /** Adds to the number of checked things. */
  addChecked(count: number): void {
    this.lookedAt += count;
  }

  /** Adds one that is wrong. */
  addWrong(example: string): void {
    this.wrong += 1;
    if (this.examples.length < maxExamples) this.examples.push(example);
  }

  /** Adds several that are wrong, with examples. */
  addManyWrong(count: number, examples: readonly string[]): void {
    this.wrong += count;
    this.examples.push(...examples.slice(0, maxExamples - this.examples.length));
  }
}

/** Something that operators should look at, although the data are consistent. */
export interface Warning {
  name: string;
  count: number;
  message: string;
}

export interface Report {
  verdict: 'holds' | 'wrong';
  checks: Check[];
  warnings: Warning[];
}

export function reportOf(checks: Check[], warnings: Warning[]): Report {
  const verdict = checks.some(({ wrong }) => wrong > 0) ? 'wrong' : 'holds';
  return { verdict, checks, warnings };
}

/** Formats a report: one line for each check and warning, and the verdict last. */
export function linesOf({ checks, warnings }: Report): string[] {
  const wrong = checks.filter((check) => check.wrong > 0);
  const verdict =
    wrong.length > 0
      ? `Wrong: ${wrong.map(({ name }) => name).join(', ')}.`
      : `All ${checks.length} checks hold.`;
  return [
    ...checks.map(lineOf),
    ...warnings.map(({ name, message }) => `warning  ${name}: ${message}`),
    warnings.length > 0 ? `${verdict} Warnings: ${warnings.length}.` : verdict,
  ];
}

function lineOf({ name, subject, lookedAt, wrong, examples, notes }: Check): string {
  const note = notes.length > 0 ? ` (${notes.join('; ')})` : '';
  return wrong > 0
    ? `WRONG    ${name}: ${wrong} wrong, ${lookedAt} ${subject} looked at: ${examples.join('; ')}${note}`
    : `ok       ${name}: ${lookedAt} ${subject}${note}`;
}
