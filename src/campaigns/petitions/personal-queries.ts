import type { Db, Tx } from '../../platform/db.ts';
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

/** Deletes a creator's petitions without signatures, and removes the creator and reasons about them from the others. */
export async function eraseCreator(tx: Tx, creatorId: string): Promise<void> {
  // Locks in the order in which signing does. Includes petitions of organizations that are deleted with
  // their last member, since these change too.
  await tx`
    select from petitions
    where creator_id = ${creatorId} or org_id = any(array(
      select m.org_id from memberships m join organizations o on o.id = m.org_id
      where m.user_id = ${creatorId} and o.member_count = 1))
    order by id for update`;
  // Locks the organizations of the petitions and of the account's memberships before the triggers of the
  // statements below lock them one by one.
  await tx`
    select from organizations
    where id in (
      select org_id from petitions where creator_id = ${creatorId}
      union select org_id from memberships where user_id = ${creatorId})
    order by id for no key update`;
  await tx`
    delete from petitions p where creator_id = ${creatorId} and signature_count = 0
      and invalid_signature_count = 0 and not exists (
        select from signatures s where s.petition_id = p.id and s.state = 'held')`;
  await tx`
    update petition_versions v set redaction_reason = null from petitions p
    where p.creator_id = ${creatorId} and v.petition_id = p.id and v.redaction_reason is not null`;
  await eraseEmails(tx, creatorId);
  await tx`update petitions set creator_id = null where creator_id = ${creatorId}`;
}
