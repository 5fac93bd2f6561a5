import {
  commitmentOf,
  textHash,
  type LogEntry,
  type PetitionText,
} from '../../platform/transparency/entries.ts';

/** A text of a petition that has no entry yet. */
export interface NewText {
  logId: string;
  version: number;
  /** ISO 639; null where it is not known. */
  language: string | null;
  /** The text, or the SHA-256 that was kept of it when a moderator removed it. */
  text: PetitionText | { hash: Buffer };
}

/** Signatures that an import added. */
export interface NewImport {
  logId: string;
  count: number;
}

/** A signature that counts for the first time. */
export interface NewSign {
  logId: string;
  signatureId: string;
  /** Version of the text that was signed. */
  version: number;
  random: Buffer;
}

export type UndoCause = (LogEntry & { type: 'undo' })['cause'];

/** A signature that counts no longer, or again. */
export interface Correction {
  logId: string;
  /** Index of its `sign` entry. */
  leaf: number;
  /** Why it counts no longer; null if it counts again. */
  cause: UndoCause | null;
}

export const textEntry = ({ logId, version, language, text }: NewText): LogEntry => ({
  v: 1,
  type: 'text',
  petition: logId,
  version,
  language: language ?? 'und',
  text_hash: 'hash' in text ? text.hash.toString('base64url') : textHash(text),
});

export const importEntry = ({ logId, count }: NewImport): LogEntry => ({
  v: 1,
  type: 'import',
  petition: logId,
  count,
});

export interface CommittedSign<Sign extends NewSign> {
  sign: Sign;
  entry: LogEntry;
}

/**
 * Returns the `sign` entries of a batch in the order of their commitments, so that nothing shows in which order people
 * signed.
 */
export function signEntries<Sign extends NewSign>(signs: readonly Sign[]): CommittedSign<Sign>[] {
  const committed = signs.map((sign) => {
    const commitment = commitmentOf(sign);
    const { logId, version } = sign;
    const entry: LogEntry = { v: 1, type: 'sign', petition: logId, version, commitment };
    return { sign, entry, bytes: Buffer.from(commitment, 'base64url') };
  });
  return committed.toSorted((one, other) => Buffer.compare(one.bytes, other.bytes));
}

export const correctionEntry = ({ logId: petition, leaf, cause }: Correction): LogEntry =>
  cause === null
    ? { v: 1, type: 'restore', petition, leaf }
    : { v: 1, type: 'undo', petition, leaf, cause };

/** The sums of a petition's entries. */
export interface Sums {
  logId: string;
  counted: number;
  imported: number;
}

/** Returns the `total` entries of a batch. `through` is the index of the last entry before them. */
export const totalEntries = <Of extends Sums>(
  sums: readonly Of[],
  through: number,
): { of: Of; entry: LogEntry }[] =>
  sums
    .toSorted((one, other) => (one.logId < other.logId ? -1 : 1))
    .map((of) => {
      const { logId, counted, imported } = of;
      return { of, entry: { v: 1, type: 'total', petition: logId, counted, imported, through } };
    });
