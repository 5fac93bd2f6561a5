import { evictPetitions } from '../../campaigns/petitions/cache.ts';
import { transitionPetition } from '../../campaigns/petitions/transition.ts';
import { petitionsByStatus, presentSummary } from '../../campaigns/petitions/list.ts';
import {
  readFreshPetition,
  requireVisiblePetition,
  type PetitionRow,
} from '../../campaigns/petitions/read.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { recordAdminAction } from '../../platform/audit.ts';
import type { Context } from '../../platform/context.ts';
import { decodeCursor, encodeCursor, toPage, type Page } from '../../platform/cursor.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { defaultLimit } from '../../platform/http/schema.ts';
import { countOpenReports, resolveReports } from '../reports/reports.ts';
import type { AdminPetition, PetitionQueueQuery } from './schema.ts';

/** Returns a page of petitions with one status, by default under review, longest in it first. */
export async function listPetitionQueue(
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

/** Publishes a petition that is under review, and dismisses its open reports. */
export const approve = (ctx: Context, caller: Caller, ref: string): Promise<Petition> =>
  decide(ctx, caller, ref, { name: 'approve', resolution: 'dismissed' });

/** Returns a petition that is under review to its creator, as a draft. */
export const reject = (
  ctx: Context,
  caller: Caller,
  ref: string,
  reason: string,
): Promise<Petition> =>
  decide(ctx, caller, ref, { name: 'reject', reason, resolution: 'actioned' });

export const close = (
  ctx: Context,
  caller: Caller,
  ref: string,
  reason: string,
): Promise<Petition> => decide(ctx, caller, ref, { name: 'close', reason });

interface Decision {
  name: 'approve' | 'reject' | 'close';
  reason?: string;
  /** The new status of its open reports, if the decision resolves them. */
  resolution?: 'actioned' | 'dismissed';
}

async function decide(
  ctx: Context,
  caller: Caller,
  ref: string,
  decision: Decision,
): Promise<Petition> {
  const petition = await requireVisiblePetition(ctx, caller, ref);
  await transaction(ctx.db, (tx) => apply(tx, caller, petition, decision));
  evictPetitions(ctx, [petition.id]);
  return readFreshPetition(ctx, petition.id, caller);
}

async function apply(
  tx: Tx,
  caller: Caller,
  petition: PetitionRow,
  { name, reason, resolution }: Decision,
): Promise<void> {
  const actId = await recordAdminAction(tx, {
    actorId: caller.userId,
    action: `petition.${name}`,
    targetType: 'petition',
    targetId: petition.id,
    reason: reason === undefined ? undefined : { text: reason, about: petition.creator_id },
  });
  const actor = { type: 'admin', id: caller.userId } as const;
  // The notification of a rejection contains the reason; of other decisions only the audit log has it.
  await transitionPetition(tx, { petition, name, actor, ...(name === 'reject' && { actId }) });
  if (resolution) {
    const outcome = { status: resolution, action: null, by: caller.userId };
    await resolveReports(tx, { type: 'petition', id: petition.id }, outcome);
  }
}
