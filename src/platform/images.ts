import type { Context } from './context.ts';
import type { Tx } from './db.ts';
import type { Caller } from './http/route.ts';

/**
 * Where an uploaded picture goes once it is ready. The slice whose record shows it gives one of these to
 * the media slice, which knows nothing of the record.
 */
export interface ImageHolder {
  /**
   * The id of the record that the caller may give this picture, or undefined where the input names none
   * and none follows from the caller. `entityId` comes from a body.
   * @throws {Problem} validation-failed with field entity_id where it points at nothing that the caller
   *   can see; forbidden where it is another's
   */
  recordFor(
    ctx: Context,
    caller: Caller,
    entityId: string | undefined,
  ): Promise<string | undefined>;
  /** Shows the picture at that address from now on. The record may be gone by then. */
  setImage(tx: Tx, recordId: string, url: string): Promise<void>;
  /** Called once that is committed. */
  changed?(ctx: Context, recordId: string): void;
  /**
   * Of these addresses, those that a record still shows. Asked when who uploaded the pictures is erased,
   * after their records were: what nothing shows is removed.
   */
  shown(tx: Tx, urls: string[]): Promise<string[]>;
}
