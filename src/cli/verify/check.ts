import type { Pool, Tx } from '../../platform/db.ts';
import type { Batch } from './batch.ts';
import type { LogSummary } from './log.ts';

/** A check that compares data of petitions, one batch at a time. */
export interface PetitionCheck {
  name: string;
  /** The things that are checked, in the plural. */
  subject: string;
  /** Compares the data of a batch in its snapshot. */
  compare(tx: Tx, batch: Batch): Promise<Finding>;
}

/** A check that divides the database into parts of its own. */
export interface DatabaseCheck {
  name: string;
  /** The things that are checked, in the plural. */
  subject: string;
  /** Yields a finding for each part. */
  run(scope: Scope): AsyncIterable<Finding>;
}

/** What checks of the database are given. */
export interface Scope {
  db: Pool;
  /** Null if all petitions are checked. */
  petitionId: string | null;
  /** Events are kept since then. */
  keptSince: Date;
  log: LogSummary;
}

/** What a check found in a part of the database. */
export interface Finding {
  /** Number of checked things. */
  checked: number;
  /** Describes what is wrong, with ids, without anything that names a person. */
  wrong: readonly string[];
  /** Number of wrong things that `wrong` leaves out. */
  moreWrong?: number;
  /** Undecided cases, and why. */
  notes?: readonly string[];
}
