import {
  forgetPetitions,
  transitionPetition,
  petitionsByStatus,
  presentSummary,
  rereadPetition,
  findVisiblePetition,
  type PetitionRow,
} from '../../campaigns/petitions/petitions.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { recordAct } from '../../platform/audit.ts';
import type { Context } from '../../platform/context.ts';
import { decodeCursor, encodeCursor, toPage, type Page } from '../../platform/cursor.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { defaultLimit } from '../../platform/http/schema.ts';
import { countOpenReports, resolveReports } from '../reports/reports.ts';
import type { AdminPetition, PetitionQueueQuery } from './schema.ts';

/** Petitions in one state, the longest in it first: by default those that wait for a review. */
export async function listQueue(
  ctx: Context,
  { status = 'under_review', limit = defaultLimit, cursor }: PetitionQueueQuery,
): Promise<Page<AdminPetition>> {
  const list = `petitions-${status}`;
  const after = decodeCursor(list, ['time', 'uuid'], cursor);
  const rows = await petitionsByStatus(ctx.db, status, after, limit + 1);
  const ids = rows.map(({ id }) => id);
  const reports = await countOpenReports(ctx.db, 'petition', ids);
  return toPage(
    rows,
    limit,
    ({ status_since, id }) => encodeCursor(list, [status_since.toISOString(), id]),
    (row) => present(ctx, row, reports.get(row.id) ?? 0),
  );
}

const present = (ctx: Context, row: PetitionRow, openReports: number): AdminPetition => ({
  ...presentSummary(row, ctx.now()),
  visibility: row.visibility,
  tags: row.tags,
  status_since: row.status_since,
  open_reports: openReports,
  url: `${ctx.config.baseUrl}/v1/petitions/${row.id}`,
});

/** Lets a petition that was under review be seen; what was reported of it so far is dismissed. */
export const approve = (ctx: Context, caller: Caller, ref: string): Promise<Petition> =>
  decide(ctx, caller, ref, { name: 'approve', resolution: 'dismissed' });

/** Gives a petition that was under review back to its creator, as a draft. */
export const reject = (
  ctx: Context,
  caller: Caller,
  ref: string,
  reason: string,
): Promise<Petition> =>
  decide(ctx, caller, ref, { name: 'reject', reason, resolution: 'actioned' });

/** Closes an active petition. */
export const close = (
  ctx: Context,
  caller: Caller,
  ref: string,
  reason: string,
): Promise<Petition> => decide(ctx, caller, ref, { name: 'close', reason });

interface Decision {
  name: 'approve' | 'reject' | 'close';
  reason?: string;
  /** What becomes of its open reports, where it settles them. */
  resolution?: 'actioned' | 'dismissed';
}

async function decide(
  ctx: Context,
  caller: Caller,
  ref: string,
  decision: Decision,
): Promise<Petition> {
  const petition = await findVisiblePetition(ctx, caller, ref);
  await transaction(ctx.db, (tx) => carryOut(tx, caller, petition, decision));
  forgetPetitions(ctx, [petition.id]);
  return rereadPetition(ctx, petition.id, caller);
}

async function carryOut(
  tx: Tx,
  caller: Caller,
  petition: PetitionRow,
  { name, reason, resolution }: Decision,
): Promise<void> {
  const actId = await recordAct(tx, {
    actorId: caller.userId,
    action: `petition.${name}`,
    targetType: 'petition',
    targetId: petition.id,
    reason: reason === undefined ? undefined : { text: reason, about: petition.creator_id },
  });
  const actor = { type: 'admin', id: caller.userId } as const;
  // The creator is told why a petition came back; the others have the reason in the audit log.
  await transitionPetition(tx, { petition, name, actor, ...(name === 'reject' && { actId }) });
  if (resolution) {
    const how = { status: resolution, action: null, by: caller.userId };
    await resolveReports(tx, { type: 'petition', id: petition.id }, how);
  }
}
