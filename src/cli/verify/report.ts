import type { Finding } from './check.ts';

/** Maximum number of examples of a check in a report. */
const maxExamples = 5;

/** The sum of the findings of a check, as `--json` prints it. */
export interface CheckResult {
  name: string;
  subject: string;
  lookedAt: number;
  wrong: number;
  examples: string[];
  notes: string[];
}

/** Something that operators should look at, although the data are consistent. */
export interface Warning {
  name: string;
  count: number;
  message: string;
}

export interface Report {
  verdict: 'holds' | 'wrong';
  checks: CheckResult[];
  warnings: Warning[];
}

/** Returns the result of a check that has found nothing yet. */
export const emptyResult = ({ name, subject }: { name: string; subject: string }): CheckResult => ({
  name,
  subject,
  lookedAt: 0,
  wrong: 0,
  examples: [],
  notes: [],
});

/** Adds a finding to the result of its check. */
export function addFinding(
  result: CheckResult,
  { checked, wrong, moreWrong = 0, notes = [] }: Finding,
): void {
  result.lookedAt += checked;
  result.wrong += wrong.length + moreWrong;
  result.examples.push(...wrong.slice(0, maxExamples - result.examples.length));
  result.notes.push(...notes);
}

export function reportOf(checks: CheckResult[], warnings: Warning[]): Report {
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

function lineOf({ name, subject, lookedAt, wrong, examples, notes }: CheckResult): string {
  const note = notes.length > 0 ? ` (${notes.join('; ')})` : '';
  return wrong > 0
    ? `WRONG    ${name}: ${wrong} wrong, ${lookedAt} ${subject} looked at: ${examples.join('; ')}${note}`
    : `ok       ${name}: ${lookedAt} ${subject}${note}`;
}
