import { revisionOf, type Precondition } from '../../platform/http/preconditions.ts';
import type { Petition } from './schema.ts';

/** What decides whether an edit of a petition is based on what is stored. */
export type EditablePetition = Pick<
  Petition,
  | 'title'
  | 'description'
  | 'language'
  | 'tags'
  | 'image_url'
  | 'image_alt'
  | 'signature_goal'
  | 'closes_at'
  | 'visibility'
  | 'signature_privacy'
  | 'location_city'
  | 'location_region'
  | 'location_country'
  | 'org_id'
  | 'status'
  | 'published_at'
> & { category: { id: string } | null };

export type PetitionPrecondition = Precondition<EditablePetition> | undefined;

/**
 * Returns the revision of a petition: of what PATCH changes, and of its status, since an edit meant for a draft is not
 * meant for what was published meanwhile. Every reader who can edit it gets the same.
 */
export const petitionRevision = (petition: EditablePetition): string =>
  revisionOf([
    petition.title,
    petition.description,
    petition.language,
    petition.category?.id ?? null,
    petition.tags,
    petition.image_url,
    petition.image_alt,
    petition.signature_goal,
    petition.closes_at,
    petition.visibility,
    petition.signature_privacy,
    petition.location_city,
    petition.location_region,
    petition.location_country,
    petition.org_id,
    petition.status,
  ]);
