import type { Tx } from '../../platform/db.ts';
import * as queries from './queries.ts';
import type { Change, Changes } from './sequencing.ts';
import type { Scan } from './state.ts';

/** Texts can be long. */
const petitionsPerBatch = 200;
/** Followers of events wait while a batch is stored. */
const signaturesPerBatch = 5000;

/** A part of the comparison of all that counts with the log, and what comes after it. */
export interface ScanStep {
  changes: Changes;
  next: Scan | null;
}

/** Reads the next part of a scan. */
export function readScanStep(tx: Tx, scan: Scan): Promise<ScanStep> {
  if (scan.phase === 'petitions') return readPetitions(tx, scan);
  return scan.phase === 'signatures' ? readSignatures(tx, scan) : readLeaves(tx, scan);
}

type Phase<Name> = Extract<Scan, { phase: Name }>;

async function readPetitions(tx: Tx, { hadEntries, after }: Phase<'petitions'>): Promise<ScanStep> {
  const petitionIds = await queries.listPublishedPetitions(tx, after, petitionsPerBatch);
  const last = lastOfFull(petitionIds, petitionsPerBatch);
  return {
    changes: {
      texts: petitionIds.map((petitionId) => ({ petitionId, upTo: null })),
      signatures: [],
      forgotten: [],
    },
    next: last
      ? { hadEntries, phase: 'petitions', after: last }
      : { hadEntries, phase: 'signatures', after: null },
  };
}

async function readSignatures(
  tx: Tx,
  { hadEntries, after }: Phase<'signatures'>,
): Promise<ScanStep> {
  const compared = await queries.listCountedSignatures(tx, after, signaturesPerBatch);
  const keys = compared.map(({ petition_id: petitionId, id }) => ({ petitionId, id }));
  const last = lastOfFull(keys, signaturesPerBatch);
  const rest: Scan | null = hadEntries ? { hadEntries, phase: 'leaves', after: null } : null;
  return {
    changes: { ...toChanges(keys, 'counts'), compared },
    next: last ? { hadEntries, phase: 'signatures', after: last } : rest,
  };
}

async function readLeaves(tx: Tx, { hadEntries, after }: Phase<'leaves'>): Promise<ScanStep> {
  const keys = await queries.listLeaves(tx, after, signaturesPerBatch);
  const last = lastOfFull(keys, signaturesPerBatch);
  return {
    changes: toChanges(keys, 'either'),
    next: last ? { hadEntries, phase: 'leaves', after: last.id } : null,
  };
}

/** Returns the last item of a full page; undefined if there are no more. */
const lastOfFull = <T>(items: readonly T[], pageSize: number): T | undefined =>
  items.length === pageSize ? items.at(-1) : undefined;

const toChanges = (keys: readonly queries.SignatureKey[], effect: Change['effect']): Changes => ({
  texts: [],
  signatures: keys.map((key) => ({ ...key, effect, cause: 'removed' })),
  forgotten: [],
});
