import type { Db, Tx } from '../../platform/db.ts';
import { forgetRedactionReasons, lockPetitionsOfCreator } from './creator-queries.ts';
import { eraseEmails } from './decision-maker-queries.ts';

export async function exportPetitionsOfCreator(
  db: Db,
  creatorId: string,
): Promise<readonly object[]> {
  return db`
    select id, slug, title, description, version, status, visibility, signature_privacy,
      signature_count, imported_signature_count, signature_goal, category_id, org_id, tags, image_url,
      image_alt, location_city, location_region, location_country, language, victory_message, promoted_until,
      closes_at, created_at, published_at, closed_at, deleted_at, text_changed_at, text_changed_after,
      text_changed_version, log_id,
      (select coalesce(json_agg(json_build_object('version', v.version, 'title', v.title,
        'description', v.description, 'signatures_before', v.signatures_before,
        'created_at', v.created_at) order by v.version), '[]')
        from petition_versions v where v.petition_id = p.id) as versions,
      (select coalesce(json_agg(json_build_object('name', d.name, 'title', d.title,
        'email', d.email, 'created_at', d.created_at, 'verified_at', d.verified_at)), '[]')
        from decision_makers d where d.petition_id = p.id) as decision_makers
    from petitions p where creator_id = ${creatorId} order by created_at`;
}

/**
 * Deletes a creator's petitions without signatures, and removes the creator, the addresses they entered and reasons about
 * them from the others.
 */
export async function eraseCreator(tx: Tx, creatorId: string): Promise<void> {
  await lockPetitionsOfCreator(tx, creatorId);
  await tx`
    delete from petitions p where creator_id = ${creatorId} and signature_count = 0
      and invalid_signature_count = 0 and not exists (
        select from signatures s where s.petition_id = p.id and s.state = 'held')`;
  await forgetRedactionReasons(tx, creatorId);
  await eraseEmails(tx, creatorId);
  await tx`update petitions set creator_id = null where creator_id = ${creatorId}`;
}
