import { Type } from 'typebox';
import { compileValidator } from '../../platform/http/validation.ts';
import type { PetitionStatus } from './lifecycle.ts';
import { PetitionInput } from './schema.ts';

/** One row of a source, as texts by column; absent columns are absent members. */
export interface SourceRow {
  /** Where the row begins in its file. */
  line: number;
  values: Readonly<Record<string, string | undefined>>;
  /** What kept the row from being read as the header says. */
  malformed?: string;
}

export interface ImportedPetition {
  externalId: string;
  title: string;
  description: string;
  createdAt: Date;
  count: number;
  goal: number | null;
  status: PetitionStatus;
}

export interface LeftOut {
  line: number;
  externalId: string;
  /** The kind of fault, to count by. */
  reason: string;
  /** What is wrong with this row. */
  detail: string;
}

/** What the ids of a source look like. */
export interface IdForm {
  pattern: RegExp;
  /** The same in words. */
  words: string;
}

export interface RowRules {
  idForm: IdForm;
  /** Gives the text of a petition whose source has no descriptions. */
  describe: (id: string, title: string) => string;
  now: Date;
}

/** A fault of one row; the row is left out and its reader told. */
class Fault extends Error {
  readonly reason: string;

  constructor(reason: string, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** Turns rows into petitions by the limits of the API, and remembers the ids it has given. */
export class RowReader {
  #rules: RowRules;
  #lines = new Map<string, number>();

  constructor(rules: RowRules) {
    this.#rules = rules;
  }

  /** The petition of the row, or why there is none. */
  read(row: SourceRow): ImportedPetition | LeftOut {
    const externalId = row.values.id?.trim() ?? '';
    try {
      if (row.malformed) throw new Fault('malformed row', row.malformed);
      this.#checkId(externalId);
      const petition = toPetition(externalId, row.values, this.#rules);
      this.#lines.set(externalId, row.line);
      return petition;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const { reason, message: detail } = error;
      return { line: row.line, externalId, reason, detail };
    }
  }

  #checkId(id: string): void {
    const { pattern, words } = this.#rules.idForm;
    if (!pattern.test(id)) throw new Fault('id of another form', `the id is not ${words}`);
    const line = this.#lines.get(id);
    if (line !== undefined) throw new Fault('id used twice', `line ${line} has this id already`);
  }
}

/** Ids that decide, where a source has at least so many, what an id looks like. */
const sampleSize = 20;

/**
 * The form of a source's ids, from some of them. Exports are seen in which an unquoted comma moved
 * part of a text into the column `id`; such a row is known by an id unlike nearly all others.
 */
export function idFormOf(ids: string[]): IdForm {
  const lengths = Map.groupBy(ids, (id) => id.length);
  const usual = [...lengths].toSorted((a, b) => b[1].length - a[1].length)[0]?.[0] || 1;
  const forms: IdForm[] = [
    { pattern: /^[0-9]{1,20}$/, words: 'a number, as nearly all ids of this source are' },
    {
      pattern: new RegExp(`^[0-9a-f-]{${usual}}$`, 'i'),
      words: `${usual} hexadecimal digits, as nearly all ids of this source are`,
    },
  ];
  const ofNearlyAll = ({ pattern }: IdForm) =>
    ids.filter((id) => pattern.test(id)).length >= 0.9 * ids.length;
  const narrow = ids.length >= sampleSize ? forms.find(ofNearlyAll) : undefined;
  return narrow ?? { pattern: /^\S{1,200}$/, words: '1 to 200 characters without spaces' };
}

function toPetition(
  externalId: string,
  values: SourceRow['values'],
  rules: RowRules,
): ImportedPetition {
  const title = values.title?.trim() ?? '';
  const description = values.description ?? rules.describe(externalId, title);
  checkLimits({ title, description });
  return {
    externalId,
    title,
    description,
    createdAt: timeOf('created_at', values.created_at, rules.now),
    count: countOf('signature_count', values.signature_count) ?? 0,
    goal: countOf('signature_goal', values.signature_goal),
    status: statusOf(values.status),
  };
}

// The types of the schema do not show the limits that it holds.
const limits = PetitionInput.properties as unknown as Record<
  'title' | 'description',
  { minLength: number; maxLength: number }
> & { signatureGoal: { minimum: number; maximum: number } };
const validate = compileValidator(Type.Pick(PetitionInput, ['title', 'description']), 'body');

/** Holds the texts against the same schema as the API, so that both take the same petitions. */
function checkLimits(texts: Pick<ImportedPetition, 'title' | 'description'>): void {
  const [error] = validate(texts);
  if (!error) return;
  const column = error.field as 'title' | 'description';
  // Characters as the schema counts them: code points.
  const length = Array.from(texts[column]).length;
  const { minLength, maxLength } = limits[column];
  if (error.code === 'too_small') {
    const detail = `${column} has ${length} characters, ${minLength} are needed`;
    throw new Fault(`${column} too short`, detail);
  }
  if (error.code === 'too_big') {
    const detail = `${column} has ${length} characters, ${maxLength} are allowed`;
    throw new Fault(`${column} too long`, detail);
  }
  throw new Fault(`bad ${column}`, `${column}: ${error.message}`);
}

/** A whole number, or null where there is none. Counts have the limit of goals. */
function countOf(column: string, text: string | undefined): number | null {
  const digits = text?.trim() ?? '';
  if (digits === '') return null;
  const { minimum, maximum } = limits.signatureGoal;
  const low = column === 'signature_goal' ? minimum : 0;
  const count = /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
  if (count >= low && count <= maximum) return count;
  throw new Fault(
    `bad ${column}`,
    `${column} is '${digits}', a whole number from ${low} to ${maximum} is needed`,
  );
}

/** An ISO 8601 date or time; UTC where it names no zone. */
function timeOf(column: string, text: string | undefined, now: Date): Date {
  const time = new Date(instantOf(text?.trim() ?? ''));
  if (!(time.getUTCFullYear() >= 1)) {
    throw new Fault(`bad ${column}`, `${column} is '${text ?? ''}', an ISO 8601 time is needed`);
  }
  if (time > now) throw new Fault(`bad ${column}`, `${column} is '${text}', in the future`);
  return time;
}

function instantOf(text: string): number {
  try {
    return Temporal.Instant.from(text).epochMilliseconds;
  } catch {
    try {
      return Temporal.PlainDateTime.from(text).toZonedDateTime('UTC').epochMilliseconds;
    } catch {
      return Number.NaN;
    }
  }
}

const statuses = new Map<string, PetitionStatus>([
  ['open', 'active'],
  ['active', 'active'],
  ['closed', 'closed'],
  // It got an official response, which ended it; whether that was a victory nobody claims.
  ['reviewed', 'closed'],
  // Unknown, so it is not opened for new signatures.
  ['', 'closed'],
]);

function statusOf(text: string | undefined): PetitionStatus {
  const status = statuses.get(text?.trim().toLowerCase() ?? '');
  if (status) return status;
  const known = [...statuses.keys()].filter(Boolean).join(', ');
  throw new Fault('bad status', `status is '${text}', it must be one of ${known}`);
}
