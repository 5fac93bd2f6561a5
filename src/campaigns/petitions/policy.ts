import { isOrganizationAdmin } from '../../identity/organizations/organizations.ts';
import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../platform/http/route.ts';
import { equalInConstantTime } from '../../platform/keys.ts';
import { forbidden, notFound } from '../../platform/problems.ts';
import type { PetitionRow } from './queries.ts';
import { publishedStatuses } from './schema.ts';
import type { PetitionState } from './state-queries.ts';

type Owned = PetitionState & Pick<PetitionRow, 'org_id'>;

export const isCreator = (petition: Pick<PetitionRow, 'creator_id'>, caller: Caller | null) =>
  caller !== null && petition.creator_id === caller.userId;

/**
 * Whether the caller acts for the petition: its creator, and the owner and admins of its organization.
 * The database is asked only where that decides.
 */
export const actsFor = async (ctx: Context, petition: Owned, caller: Caller | null) =>
  isCreator(petition, caller) ||
  (caller !== null &&
    petition.org_id !== null &&
    isOrganizationAdmin(ctx.db, petition.org_id, caller.userId));

export const isModerator = (caller: Caller | null) =>
  caller?.role === 'moderator' || caller?.role === 'admin';

export const isPublished = ({ status }: Pick<PetitionRow, 'status'>) =>
  publishedStatuses.some((one) => one === status);

/** Whether the caller may know that the petition exists. */
export const canSee = (petition: PetitionState, caller: Caller | null) =>
  petition.deleted_at === null &&
  (isPublished(petition) || isCreator(petition, caller) || isModerator(caller));

/** Whether everybody sees the same of it, so that one copy can be shown to all. */
export const isOpenToAll = (petition: PetitionState) =>
  petition.deleted_at === null && isPublished(petition) && petition.visibility !== 'private';

/** Whether the caller may read what a petition holds; private ones need the code. */
export const canRead = (
  ctx: Context,
  petition: PetitionState,
  caller: Caller | null,
  code: string | undefined,
) =>
  petition.visibility !== 'private' ||
  isCreator(petition, caller) ||
  isModerator(caller) ||
  isAccessCode(ctx, petition.id, code);

/** Whether somebody may read how a petition does, who acts for it or does not. */
const mayAnalyse = (caller: Caller | null, acts: boolean) => isModerator(caller) || acts;

/** Whether somebody may have a list of signers that is not public. */
const mayHaveSigners = (caller: Caller | null, acts: boolean) => caller?.role === 'admin' || acts;

const mayExport = (petition: Owned, caller: Caller | null, acts: boolean) =>
  petition.signature_privacy !== 'count_only' && mayHaveSigners(caller, acts);

/** Whether the caller may read how the petition does: those who act for it, and moderators. */
export const canReadAnalytics = async (ctx: Context, petition: Owned, caller: Caller | null) =>
  mayAnalyse(caller, await actsFor(ctx, petition, caller));

/** Whether the caller may take who signed away with them, of a petition that they can read. */
export const canExportSignatures = async (ctx: Context, petition: Owned, caller: Caller | null) =>
  mayExport(petition, caller, await actsFor(ctx, petition, caller));

/** Whether the caller may read who signed. */
export const canListSignatures = async (ctx: Context, petition: Owned, caller: Caller | null) =>
  petition.signature_privacy === 'public' ||
  (petition.signature_privacy === 'creator_only' &&
    mayHaveSigners(caller, await actsFor(ctx, petition, caller)));

/** @throws {Problem} not-found, or forbidden for a private petition without its code */
export function requireReadable(
  ctx: Context,
  petition: PetitionRow | undefined,
  caller: Caller | null,
  code: string | undefined,
): PetitionRow {
  if (!petition || !canSee(petition, caller)) throw notFound('petition');
  if (!canRead(ctx, petition, caller, code)) throw privatePetition();
  return petition;
}

/** @throws {Problem} not-found where it cannot be seen */
export function requireSeen(petition: PetitionRow | undefined, caller: Caller | null): PetitionRow {
  if (!petition || !canSee(petition, caller)) throw notFound('petition');
  return petition;
}

/** @throws {Problem} not-found where it cannot be seen, forbidden where it is another's */
export function requireOwn(found: PetitionRow | undefined, caller: Caller): PetitionRow {
  const petition = requireSeen(found, caller);
  if (!isCreator(petition, caller)) {
    throw forbidden('Only the creator of the petition may do this.');
  }
  return petition;
}

/** What somebody may do for a petition that they can see. */
export interface Powers {
  /** All that only its creator may. */
  change: boolean;
  /** Read it and what belongs to it, without an access code. */
  read: boolean;
  analytics: boolean;
  exportSignatures: boolean;
}

/** What the caller may do for the petition: for pages, which offer that and nothing else. */
export async function powersOver(
  ctx: Context,
  petition: Owned,
  caller: Caller | null,
): Promise<Powers> {
  const read = canRead(ctx, petition, caller, undefined);
  const acts = await actsFor(ctx, petition, caller);
  return {
    change: isCreator(petition, caller),
    read,
    analytics: mayAnalyse(caller, acts),
    exportSignatures: read && mayExport(petition, caller, acts),
  };
}

export const privatePetition = () =>
  forbidden('This petition is private: its access_code is needed.', 'access_code_required');

/** The code that opens a private petition. It follows from its id and SECRET, so none is stored. */
export const accessCode = (ctx: Context, petitionId: string) =>
  ctx.keys.hash('access-code', petitionId).toString('base64url').slice(0, 12);

export const isAccessCode = (ctx: Context, petitionId: string, code: string | undefined) =>
  code !== undefined && equalInConstantTime(code, accessCode(ctx, petitionId));
