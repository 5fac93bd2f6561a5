import { VerificationError } from './errors.js';
import type { Entry, RestoreEntry, TextEntry, TotalEntry, UndoEntry } from './entries.ts';

/** What the entries of a petition add up to. */
export interface PetitionSum {
  /** The `log_id`. */
  petition: string;
  /** `sign` and `restore` entries less `undo` entries. */
  counted: number;
  imported: number;
  /** Newest version of the text, and the languages in which it is logged. */
  version: number;
  languages: string[];
}

/** The state of a recount, to go on from. */
export interface RecountState {
  size: number;
  /** Index of the last entry that is no `total`; -1 before the first. */
  lastChange: number;
  totals: number;
  petitions: PetitionSum[];
  /** For each entry: 0 if it is no `sign`, else the position of its petition plus 1, negative while it is undone. */
  leaves: Int32Array;
}

/** There is room for so many entries at first. A stored state can have none. */
const minLeaves = 1024;

/** Adds up the entries of each petition. */
export class Recount {
  #leaves: Int32Array;
  #size: number;
  #lastChange: number;
  #totals: number;
  readonly #petitions: PetitionSum[];
  readonly #positions: Map<string, number>;

  constructor(state?: RecountState) {
    this.#size = state?.size ?? 0;
    this.#lastChange = state?.lastChange ?? -1;
    this.#totals = state?.totals ?? 0;
    this.#leaves = state?.leaves.slice() ?? new Int32Array(minLeaves);
    this.#petitions =
      state?.petitions.map((sum) => ({ ...sum, languages: [...sum.languages] })) ?? [];
    this.#positions = new Map(this.#petitions.map(({ petition }, n) => [petition, n]));
  }

  get petitions(): readonly PetitionSum[] {
    return this.#petitions;
  }

  /** How many `total` entries held. */
  get totals(): number {
    return this.#totals;
  }

  get state(): RecountState {
    return {
      size: this.#size,
      lastChange: this.#lastChange,
      totals: this.#totals,
      petitions: this.#petitions,
      leaves: this.#leaves.subarray(0, this.#size),
    };
  }

  /** Returns what the entry at an index stands for now; undefined if it is no `sign` entry. */
  leaf(index: number): { petition: string; isUndone: boolean } | undefined {
    const mark = index < this.#size ? this.#leaves[index]! : 0;
    if (mark === 0) return undefined;
    return { petition: this.#petitions[Math.abs(mark) - 1]!.petition, isUndone: mark < 0 };
  }

  /** Goes past an entry that cannot be read. */
  skip(): void {
    this.#grow();
    this.#size += 1;
  }

  /**
   * Adds the next entry.
   * @throws {VerificationError} if it contradicts those before it; it is gone past then
   */
  add(entry: Entry): PetitionSum {
    const index = this.#size;
    this.skip();
    const position = this.#positionOf(entry.petition);
    const sum = this.#petitions[position]!;
    if (entry.type === 'total') {
      this.#checkTotal(entry, sum, index);
      this.#totals += 1;
      return sum;
    }
    this.#lastChange = index;
    switch (entry.type) {
      case 'text':
        addText(entry, sum);
        break;
      case 'sign':
        if (entry.version > sum.version) {
          throw new VerificationError(
            `it is under version ${entry.version} of a text, which has no entry yet`,
          );
        }
        this.#leaves[index] = position + 1;
        sum.counted += 1;
        break;
      case 'undo':
      case 'restore':
        this.#change(entry, position, sum);
        break;
      case 'import':
        if (!Number.isSafeInteger(sum.imported + entry.count)) {
          throw new VerificationError('the imported signatures exceed the numbers of a log');
        }
        sum.imported += entry.count;
        break;
    }
    return sum;
  }

  #grow(): void {
    if (this.#size < this.#leaves.length) return;
    const larger = new Int32Array(Math.max(minLeaves, this.#leaves.length * 2));
    larger.set(this.#leaves);
    this.#leaves = larger;
  }

  #positionOf(petition: string): number {
    const known = this.#positions.get(petition);
    if (known !== undefined) return known;
    const position = this.#petitions.length;
    this.#positions.set(petition, position);
    this.#petitions.push({ petition, counted: 0, imported: 0, version: 0, languages: [] });
    return position;
  }

  #change({ type, leaf }: UndoEntry | RestoreEntry, position: number, sum: PetitionSum): void {
    const mark = leaf < this.#size ? this.#leaves[leaf]! : 0;
    if (Math.abs(mark) !== position + 1) {
      throw new VerificationError(
        `it is about entry ${leaf}, which is no signature of the petition`,
      );
    }
    if (mark > 0 !== (type === 'undo')) {
      throw new VerificationError(
        `it is about entry ${leaf}, which is ${type === 'undo' ? 'undone already' : 'in force'}`,
      );
    }
    this.#leaves[leaf] = -mark;
    sum.counted += type === 'undo' ? -1 : 1;
  }

  #checkTotal({ counted, imported, through }: TotalEntry, sum: PetitionSum, index: number): void {
    // Only totals stand between `through` and this one.
    if (through >= index || through < this.#lastChange) {
      throw new VerificationError(
        `it is a total through entry ${through}, not through the last before the totals`,
      );
    }
    if (counted !== sum.counted || imported !== sum.imported) {
      throw new VerificationError(
        `it is a total of ${counted} counted and ${imported} imported; the entries add up to ${sum.counted} and ${sum.imported}`,
      );
    }
  }
}

function addText({ version, language }: TextEntry, sum: PetitionSum): void {
  const isNewer = version > sum.version;
  if (version < sum.version || (!isNewer && sum.languages.includes(language))) {
    throw new VerificationError(`it is version ${version} of a text, after version ${sum.version}`);
  }
  sum.languages = isNewer ? [language] : [...sum.languages, language];
  sum.version = version;
}
