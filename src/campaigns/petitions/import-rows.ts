import { Type } from 'typebox';
import { compileValidator } from '../../platform/http/validation.ts';
import type { PetitionStatus } from './lifecycle.ts';
import { PetitionInput } from './schema.ts';

/** One row of a source. */
export interface SourceRow {
  /** Number of the line on which the row begins. */
  line: number;
  /** Texts by column name, without columns that the source lacks. */
  values: Readonly<Record<string, string | undefined>>;
  /** Why the row does not match the header. */
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

export interface RejectedRow {
  line: number;
  externalId: string;
  /** The kind of error, for statistics. */
  reason: string;
  /** The error of this row, in words. */
  detail: string;
}

/** The format of the ids of a source. */
export interface IdFormat {
  pattern: RegExp;
  /** The pattern in words. */
  words: string;
}

export interface RowRules {
  idForm: IdFormat;
  /** Returns the description of a petition whose source has none. */
  describe: (id: string, title: string) => string;
  now: Date;
}

/** An invalid row, which is left out and reported. */
class RowError extends Error {
  readonly reason: string;

  constructor(reason: string, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** Converts rows to petitions within the limits of the API, and rejects duplicate ids. */
export class RowReader {
  #rules: RowRules;
  #lines = new Map<string, number>();

  constructor(rules: RowRules) {
    this.#rules = rules;
  }

  read(row: SourceRow): ImportedPetition | RejectedRow {
    const externalId = row.values.id?.trim() ?? '';
    try {
      if (row.malformed) throw new RowError('malformed row', row.malformed);
      this.#checkId(externalId);
      const petition = toPetition(externalId, row.values, this.#rules);
      this.#lines.set(externalId, row.line);
      return petition;
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      const { reason, message: detail } = error;
      return { line: row.line, externalId, reason, detail };
    }
  }

  #checkId(id: string): void {
    const { pattern, words } = this.#rules.idForm;
    if (!pattern.test(id)) throw new RowError('id of another form', `the id is not ${words}`);
    const line = this.#lines.get(id);
    if (line !== undefined) throw new RowError('id used twice', `line ${line} has this id already`);
  }
}

/** Sources with fewer ids than this accept any format of ids. */
const minSampleSize = 20;

/**
 * Infers the format of a source's ids from a sample. Some exports contain unquoted commas that shift part of
 * a text into the column `id`; such rows are recognized by an id that differs from 90% of the others.
 */
export function inferIdFormat(ids: string[]): IdFormat {
  const lengths = Map.groupBy(ids, (id) => id.length);
  const commonLength = [...lengths].toSorted((a, b) => b[1].length - a[1].length)[0]?.[0] || 1;
  const forms: IdFormat[] = [
    { pattern: /^[0-9]{1,20}$/, words: 'a number, as nearly all ids of this source are' },
    {
      pattern: new RegExp(`^[0-9a-f-]{${commonLength}}$`, 'i'),
      words: `${commonLength} hexadecimal digits, as nearly all ids of this source are`,
    },
  ];
  const matchesMostIds = ({ pattern }: IdFormat) =>
    ids.filter((id) => pattern.test(id)).length >= 0.9 * ids.length;
  const strictForm = ids.length >= minSampleSize ? forms.find(matchesMostIds) : undefined;
  return strictForm ?? { pattern: /^\S{1,200}$/, words: '1 to 200 characters without spaces' };
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
    createdAt: parseTime('created_at', values.created_at, rules.now),
    count: parseCount('signature_count', values.signature_count) ?? 0,
    goal: parseCount('signature_goal', values.signature_goal),
    status: parseStatus(values.status),
  };
}

// The static types of the schema omit its limits.
const limits = PetitionInput.properties as unknown as Record<
  'title' | 'description',
  { minLength: number; maxLength: number }
> & { signatureGoal: { minimum: number; maximum: number } };
const validate = compileValidator(Type.Pick(PetitionInput, ['title', 'description']), 'body');

/** Validates the texts by the schema of the API, so that both accept the same petitions. */
function checkLimits(texts: Pick<ImportedPetition, 'title' | 'description'>): void {
  const [error] = validate(texts);
  if (!error) return;
  const column = error.field as 'title' | 'description';
  // The schema counts code points.
  const length = Array.from(texts[column]).length;
  const { minLength, maxLength } = limits[column];
  if (error.code === 'too_small') {
    const detail = `${column} has ${length} characters, ${minLength} are needed`;
    throw new RowError(`${column} too short`, detail);
  }
  if (error.code === 'too_big') {
    const detail = `${column} has ${length} characters, ${maxLength} are allowed`;
    throw new RowError(`${column} too long`, detail);
  }
  throw new RowError(`bad ${column}`, `${column}: ${error.message}`);
}

/** Parses a whole number; null if the column is empty. Counts have the limit of goals. */
function parseCount(column: string, text: string | undefined): number | null {
  const digits = text?.trim() ?? '';
  if (digits === '') return null;
  const { minimum, maximum } = limits.signatureGoal;
  const low = column === 'signature_goal' ? minimum : 0;
  const count = /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
  if (count >= low && count <= maximum) return count;
  throw new RowError(
    `bad ${column}`,
    `${column} is '${digits}', a whole number from ${low} to ${maximum} is needed`,
  );
}

/** Parses an ISO 8601 date or time; UTC if it names no zone. */
function parseTime(column: string, text: string | undefined, now: Date): Date {
  const time = new Date(epochMillisecondsOf(text?.trim() ?? ''));
  if (!(time.getUTCFullYear() >= 1)) {
    throw new RowError(`bad ${column}`, `${column} is '${text ?? ''}', an ISO 8601 time is needed`);
  }
  if (time > now) throw new RowError(`bad ${column}`, `${column} is '${text}', in the future`);
  return time;
}

function epochMillisecondsOf(text: string): number {
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
  // Ended by an official response; the source does not say whether it was a victory.
  ['reviewed', 'closed'],
  // Unknown, so closed for new signatures.
  ['', 'closed'],
]);

function parseStatus(text: string | undefined): PetitionStatus {
  const status = statuses.get(text?.trim().toLowerCase() ?? '');
  if (status) return status;
  const known = [...statuses.keys()].filter(Boolean).join(', ');
  throw new RowError('bad status', `status is '${text}', it must be one of ${known}`);
}
