import type { Db } from '../../platform/db.ts';
import type { Opening } from '../../platform/transparency/entries.ts';

interface LeafRow {
  id: string;
  state: 'counted' | 'held' | 'invalid';
  version: number;
  leaf: string | null;
  log_id: string | null;
  random: Buffer | null;
}

/** A signature of the caller, with its entry in the log. */
export interface OwnLeaf {
  state: LeafRow['state'];
  /** Index of its `sign` entry; null if there is none. */
  leaf: number | null;
  /** Undefined if nobody may open the commitment any more. */
  opening: Opening | undefined;
}

/** Returns a user's signature of a petition, if there is one. */
export async function findOwnLeaf(
  db: Db,
  petitionId: string,
  userId: string,
): Promise<OwnLeaf | undefined> {
  const row = await db.first<LeafRow>`
    select s.id, s.state, s.version, l.leaf, t.log_id, o.random
    from signatures s
    left join transparency_leaves l on l.signature_id = s.id
    left join transparency_petitions t on t.number = l.petition
    left join transparency_openings o on o.leaf = l.leaf
    where s.petition_id = ${petitionId} and s.user_id = ${userId}`;
  if (!row) return undefined;
  const { id: signature, state, version, leaf, log_id: petition, random } = row;
  return {
    state,
    leaf: leaf === null ? null : Number(leaf),
    opening:
      random && petition
        ? { v: 1, petition, version, signature, random: random.toString('base64url') }
        : undefined,
  };
}
