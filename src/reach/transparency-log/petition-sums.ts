import type { Tx } from '../../platform/db.ts';
import * as queries from './queries.ts';
import type { ComparedPetition, LoggedPetition } from './queries.ts';

/** The petitions of a batch, with the sums of their entries. */
export class PetitionSums {
  readonly compared: readonly ComparedPetition[];
  readonly #logged: Map<string, LoggedPetition>;

  private constructor(compared: readonly ComparedPetition[]) {
    this.compared = compared;
    this.#logged = new Map(compared.flatMap(({ id, logged }) => (logged ? [[id, logged]] : [])));
  }

  /** Reads petitions, of which the ids can stand several times. */
  static async read(tx: Tx, ids: readonly string[]): Promise<PetitionSums> {
    return new PetitionSums(await queries.comparePetitions(tx, [...new Set(ids)]));
  }

  /** Undefined for a petition without entries. */
  get(id: string): LoggedPetition | undefined {
    return this.#logged.get(id);
  }

  /** Adds those of the petitions that have no entries yet. */
  async addMissing(tx: Tx, ids: Iterable<string>): Promise<void> {
    const wanted = new Set(ids);
    const missing = this.compared.filter(({ id }) => wanted.has(id) && !this.#logged.has(id));
    const logIds = new Map(missing.map(({ id, log_id: logId }) => [id, logIdOf(id, logId)]));
    const added = await queries.addPetitions(
      tx,
      [...logIds].map(([id, logId]) => ({ id, logId })),
    );
    for (const { id, number } of added) {
      this.#logged.set(id, {
        number,
        log_id: logIds.get(id)!,
        text_version: 0,
        counted: 0,
        imported: 0,
        entries: 0,
        total_index: null,
        totalled_at: null,
        total_due_at: null,
      });
    }
  }
}

function logIdOf(id: string, logId: string | null): string {
  // The log begins after the backfill has given each petition one.
  if (logId === null) throw new Error(`the petition ${id} has no log_id`);
  return logId;
}
