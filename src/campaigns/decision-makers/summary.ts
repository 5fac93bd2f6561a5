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

/** Who signed, as a decision maker is shown it. */
export interface Summary {
  petition: Petition;
  /** Address of the petition's page. */
  url: string;
  madeAt: Date;
  milestones: Milestone[];
  /** Of at least three signatures each, so that none points at a person. */
  places: Place[];
  /** The newest; null where the list is not for everybody. */
  signers: Signer[] | null;
}

const mostSigners = 1000;
const mostPlaces = 50;

/** Names are in it only where everybody may read the list of signatures, and never of anonymous signers. */
export async function summarize(ctx: Context, petition: Petition): Promise<Summary> {
  const db = ctx.pools.replica;
  const listIsOpen = petition.signature_privacy === 'public' && petition.visibility !== 'private';
  return {
    petition,
    url: petition.share_url,
    madeAt: ctx.now(),
    milestones: await findReachedMilestones(db, petition.id),
    places: await findFrequentPlaces(db, petition.id, mostPlaces),
    signers: listIsOpen ? await findNewestSigners(db, petition.id, mostSigners) : null,
  };
}
