import type { Tx } from '../../platform/db.ts';

/**
 * Locks the petitions of an account that is being erased, in the order in which signing does, then the organizations of
 * these and of its memberships, before triggers lock them one by one. Includes petitions of organizations that are deleted
 * with their last member, since these change too.
 */
export async function lockPetitionsOfCreator(tx: Tx, creatorId: string): Promise<void> {
  await tx`
    select from petitions
    where creator_id = ${creatorId} or org_id = any(array(
      select m.org_id from memberships m join organizations o on o.id = m.org_id
      where m.user_id = ${creatorId} and o.member_count = 1))
    order by id for update`;
  await tx`
    select from organizations
    where id in (
      select org_id from petitions where creator_id = ${creatorId}
      union select org_id from memberships where user_id = ${creatorId})
    order by id for no key update`;
}

/** Deletes the reasons of moderators for redacting the petitions of an account that is being erased. */
export async function forgetRedactionReasons(tx: Tx, creatorId: string): Promise<void> {
  await tx`
    update petition_versions v set redaction_reason = null from petitions p
    where p.creator_id = ${creatorId} and v.petition_id = p.id and v.redaction_reason is not null`;
}

/**
 * Gives a petition to another creator. One that was hidden with the former one stays under review: it does not come back
 * with either. Returns false if it is no longer that of the former one, or was deleted. */
export async function changeCreator(
  tx: Tx,
  petitionId: string,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  return tx.changed`
    update petitions set creator_id = ${to}, hidden_with_creator = false
    where id = ${petitionId} and creator_id = ${from} and deleted_at is null`;
}
