/** Examples that a report names of what is wrong. */
const maxExamples = 5;

/** One thing that must hold: how many were looked at, how many are wrong, and which. */
export class Check {
  readonly name: string;
  /** What is looked at, in the plural. */
  readonly subject: string;
  lookedAt = 0;
  wrong = 0;
  /** By id; nothing that names a person. */
  readonly examples: string[] = [];
  /** What could not be decided, and why. */
  readonly notes: string[] = [];

  constructor(name: string, subject: string) {
    this.name = name;
    this.subject = subject;
  }

  /** Counts what was looked at. */
  saw(count: number): void {
    this.lookedAt += count;
  }

  /** Counts one that is wrong. */
  found(example: string): void {
    this.wrong += 1;
    if (this.examples.length < maxExamples) this.examples.push(example);
  }

  /** Counts several that are wrong, of which some are named. */
  foundMany(count: number, examples: readonly string[]): void {
    this.wrong += count;
    this.examples.push(...examples.slice(0, maxExamples - this.examples.length));
  }
}

/** What an operator should look at, although nothing is wrong with the data. */
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

/** One line for each check and warning, and the verdict last. */
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
