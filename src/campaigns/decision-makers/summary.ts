import type { Context } from '../../platform/context.ts';
import {
  findReachedMilestones,
  findNewestSigners,
  findFrequentPlaces,
  type Milestone,
  type Place,
  type Signer,
} from '../signatures/signatures.ts';
import type { Petition } from '../petitions/schema.ts';

/** A summary of the signatures for decision makers. */
export interface Summary {
  petition: Petition;
  /** URL of the petition's page. */
  url: string;
  madeAt: Date;
  milestones: Milestone[];
  /** Places with at least three signatures, so that none identifies a person. */
  places: Place[];
  /** The newest signers; null if the list of signatures is not public. */
  signers: Signer[] | null;
}

const maxSigners = 1000;
const maxPlaces = 50;

/** Contains names only if the list of signatures is public, and never those of anonymous signers. */
export async function summarize(ctx: Context, petition: Petition): Promise<Summary> {
  const db = ctx.pools.replica;
  const isListPublic = petition.signature_privacy === 'public' && petition.visibility !== 'private';
  return {
    petition,
    url: petition.share_url,
    madeAt: ctx.now(),
    milestones: await findReachedMilestones(db, petition.id),
    places: await findFrequentPlaces(db, petition.id, maxPlaces),
    signers: isListPublic ? await findNewestSigners(db, petition.id, maxSigners) : null,
  };
}
