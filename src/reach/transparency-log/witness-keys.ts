import type { Config } from '../../config.ts';
import { formatVerifierKey, type VerifierKey } from '../../platform/transparency/notes.ts';

/** A witness of the settings. */
export type LogWitness = Config['logWitnesses'][number];

export const keysOf = (witnesses: readonly LogWitness[]): VerifierKey[] =>
  witnesses.flatMap(({ keys }) => keys);

/** The verifier keys of witnesses, as texts. The database names them so. */
export const verifierKeysOf = (witnesses: readonly LogWitness[]): string[] =>
  keysOf(witnesses).map(formatVerifierKey);
