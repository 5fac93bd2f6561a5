import type { DecisionAct } from '../../platform/decisions.ts';
import type { Db, Tx } from '../../platform/db.ts';
import type { Complaint, ComplaintSide, ComplaintStatus } from './schema.ts';

export interface Decision {
  id: string;
  act: DecisionAct;
  target_type: string;
  target_id: string;
  petition_id: string | null;
  /** Title of the petition; empty without one. */
  about: string;
  about_language: string | null;
  /** Whom it concerns. */
  user_id: string | null;
  reason: string | null;
  rule: string | null;
  report_ids: string[];
  reporter_ids: string[];
  /** The reports of people without an account who can be told. */
  contact_report_ids: string[];
  moderator_id: string | null;
  created_at: Date;
  expires_at: Date;
}

/** Returns decisions by id, without their reporters who are the moderator or the person concerned. */
export async function findDecisions(db: Db, ids: string[]): Promise<Map<string, Decision>> {
  if (ids.length === 0) return new Map();
  const rows = await db<Decision[]>`
    select d.id, d.act, d.target_type, d.target_id, d.petition_id, coalesce(p.title, '') as about,
      p.language as about_language, d.user_id, d.reason, d.rule, d.report_ids, d.moderator_id, d.created_at, d.expires_at,
      array(
        select distinct r.reporter_id from reports r
        where r.id = any(d.report_ids) and r.reporter_id is not null
          and r.reporter_id is distinct from d.moderator_id
          and r.reporter_id is distinct from d.user_id
      ) as reporter_ids,
      array(
        select report_id from report_contacts where report_id = any(d.report_ids)
      ) as contact_report_ids
    from moderation_decisions d left join petitions p on p.id = d.petition_id
    where d.id = any(${ids}::uuid[])`;
  return new Map(rows.map((row) => [row.id, row]));
}

export interface DecidedComplaint {
  id: string;
  decision_id: string;
  act: DecisionAct;
  about: string;
  about_language: string | null;
  side: ComplaintSide;
  status: ComplaintStatus;
  user_id: string | null;
  /** The report of a reporter without an account. */
  report_id: string | null;
  decision_reason: string | null;
}

export async function findDecidedComplaints(
  db: Db,
  ids: string[],
): Promise<Map<string, DecidedComplaint>> {
  if (ids.length === 0) return new Map();
  const rows = await db<DecidedComplaint[]>`
    select c.id, c.decision_id, d.act, coalesce(p.title, '') as about,
      p.language as about_language, c.side, c.status, c.user_id,
      c.report_id, c.decision_reason
    from complaints c
    join moderation_decisions d on d.id = c.decision_id
    left join petitions p on p.id = d.petition_id
    where c.id = any(${ids}::uuid[]) and c.status <> 'open'`;
  return new Map(rows.map((row) => [row.id, row]));
}

export interface ComplaintRow {
  id: string;
  decision_id: string;
  side: ComplaintSide;
  status: ComplaintStatus;
  /** Who complained. */
  user_id: string | null;
  decision_reason: string | null;
  created_at: Date;
}

/** Returns the complaint of one side about a decision. */
export async function findComplaintOf(
  db: Db,
  decisionId: string,
  side: ComplaintSide,
): Promise<ComplaintRow | undefined> {
  return db.first<ComplaintRow>`
    select id, decision_id, side, status, user_id, decision_reason, created_at from complaints
    where decision_id = ${decisionId} and side = ${side}`;
}

export interface NewComplaint {
  id: string;
  decisionId: string;
  side: ComplaintSide;
  userId: string | null;
  reportId: string | null;
  text: string;
  createdAt: Date;
}

/** Stores a complaint. Returns false if that side has complained already. */
export async function insertComplaint(tx: Tx, complaint: NewComplaint): Promise<boolean> {
  const { id, decisionId, side, userId, reportId, text, createdAt } = complaint;
  // Locks the account against being erased meanwhile. An erased one complains without a name.
  return tx.changed`
    insert into complaints (id, decision_id, side, user_id, report_id, text, created_at)
    values (${id}, ${decisionId}, ${side},
      (select u.id from users u where u.id = ${userId} for key share), ${reportId}, ${text},
      ${createdAt})
    on conflict (decision_id, side) do nothing`;
}

/** Locks a complaint until the transaction ends. */
export async function lockComplaint(tx: Tx, id: string): Promise<ComplaintRow | undefined> {
  return tx.first<ComplaintRow>`
    select id, decision_id, side, status, user_id, decision_reason, created_at from complaints
    where id = ${id} for no key update`;
}

export interface Outcome {
  status: 'upheld' | 'reversed';
  reason: string;
  by: string;
  sameModerator: boolean;
  at: Date;
}

export async function storeOutcome(tx: Tx, id: string, outcome: Outcome): Promise<void> {
  const { status, reason, by, sameModerator, at } = outcome;
  await tx`
    update complaints set status = ${status}, decision_reason = ${reason}, decided_by = ${by},
      same_moderator = ${sameModerator}, decided_at = ${at}
    where id = ${id}`;
}

const selectComplaints = (db: Db) => db`
  select c.id, c.side, c.text, c.status,
    json_build_object('id', d.id, 'act', d.act, 'target_type', d.target_type,
      'target_id', d.target_id, 'petition_id', d.petition_id, 'about', coalesce(p.title, ''),
      'about_language', p.language,
      'reason', d.reason, 'created_at', d.created_at,
      'moderator', case when m.id is not null
        then json_build_object('id', m.id, 'display_name', m.display_name) end) as decision,
    case when b.id is not null
      then json_build_object('id', b.id, 'display_name', b.display_name) end as decided_by,
    c.decision_reason, c.same_moderator, c.created_at, c.decided_at
  from complaints c
  join moderation_decisions d on d.id = c.decision_id
  left join petitions p on p.id = d.petition_id
  left join users m on m.id = d.moderator_id
  left join users b on b.id = c.decided_by`;

/** Returns a page of complaints with this status, oldest first. */
export async function listComplaints(
  db: Db,
  status: ComplaintStatus,
  after: string | null,
  limit: number,
): Promise<Complaint[]> {
  return db<Complaint[]>`
    ${selectComplaints(db)}
    where c.status = ${status} ${after ? db`and c.id > ${after}` : db``}
    order by c.id
    limit ${limit}`;
}

export async function findComplaint(db: Db, id: string): Promise<Complaint | undefined> {
  return db.first<Complaint>`${selectComplaints(db)} where c.id = ${id}`;
}

/** Returns the decisions about a user, without those who made them. */
export async function findDecisionsAbout(db: Db, userId: string): Promise<readonly object[]> {
  return db`
    select id, act, target_type, target_id, petition_id, reason, rule, created_at, expires_at
    from moderation_decisions where user_id = ${userId} order by id`;
}

export async function findComplaintsOf(db: Db, userId: string): Promise<readonly object[]> {
  return db`
    select decision_id, side, text, status, decision_reason, same_moderator, created_at, decided_at
    from complaints where user_id = ${userId} order by id`;
}

/** Removes a user's name and words from complaints, and the user as a moderator. */
export async function eraseFromComplaints(tx: Tx, userId: string): Promise<void> {
  await tx`
    update complaints set user_id = null, text = null, decision_reason = null
    where user_id = ${userId}`;
  await tx`update complaints set decided_by = null where decided_by = ${userId}`;
}
