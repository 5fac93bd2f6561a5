import type { Context } from './context.ts';
import type { Db, Tx } from './db.ts';
import type { Caller } from './http/route.ts';
import { invalidValue } from './problems.ts';

/** Words for a picture need the picture. */
export const altWithoutPicture = (field: string) =>
  invalidValue(field, 'There is no picture that this could describe.');

/** Widths of the variants of a picture in pixels, which end their names. A variant is no larger than the picture. */
export const variantWidths = [320, 640, 1280] as const;

/** A picture that was uploaded, when it is ready. */
export interface UploadedPicture {
  url: string;
  /** What it shows, in words. */
  alt: string | null;
  /** Who uploaded it; null once the account was erased. */
  userId: string | null;
}

/** Attaches uploaded images to the records of a slice. The media slice does not know these records. */
export interface PictureOwner {
  /**
   * Returns the id of the record that the caller may attach the image to; undefined if neither the input nor the
   * caller determines one. `entityId` comes from a request body.
   * @throws {Problem} validation-failed with field entity_id if the caller can see no such record; forbidden if it
   *   belongs to someone else
   */
  recordFor(
    ctx: Context,
    caller: Caller,
    entityId: string | undefined,
  ): Promise<string | undefined>;
  /**
   * Sets the image of the record, which may have been deleted; not if who uploaded it may not change the record any more.
   */
  setImage(tx: Tx, recordId: string, picture: UploadedPicture): Promise<void>;
  /** Called after the commit of `setImage`. */
  onChanged?(ctx: Context, recordId: string): void;
  /**
   * Returns those of the addresses that a record still shows: images that no record shows are deleted. While an account
   * is being erased, after its records, `erasing` is its id: the account itself shows nothing any more.
   */
  filterShown(tx: Tx, urls: string[], erasing?: string): Promise<string[]>;
  /** Returns the next addresses of images that records have, in order and each once. `after` is '' at first. */
  listUrls(db: Db, after: string, limit: number): Promise<string[]>;
}
