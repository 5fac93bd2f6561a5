import { isOrganizationAdmin } from '../../identity/organizations/organizations.ts';
import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../platform/http/route.ts';
import { equalInConstantTime } from '../../platform/keys.ts';
import { forbidden, notFound } from '../../platform/problems.ts';
import type { PetitionRow } from './queries.ts';
import { publishedStatuses } from './schema.ts';
import type { PetitionState } from './state.ts';

type OwnedPetition = PetitionState & Pick<PetitionRow, 'org_id'>;

export const isCreator = (petition: Pick<PetitionRow, 'creator_id'>, caller: Caller | null) =>
  caller !== null && petition.creator_id === caller.userId;

/**
 * Whether the caller is the creator, or the owner or an admin of the petition's organization. Queries the
 * database only for callers other than the creator.
 */
const isManager = async (ctx: Context, petition: OwnedPetition, caller: Caller | null) =>
  isCreator(petition, caller) ||
  (caller !== null &&
    petition.org_id !== null &&
    isOrganizationAdmin(ctx.db, petition.org_id, caller.userId));

export const isModerator = (caller: Caller | null) =>
  caller?.role === 'moderator' || caller?.role === 'admin';

export const isPublished = ({ status }: Pick<PetitionRow, 'status'>) =>
  publishedStatuses.some((one) => one === status);

/** Whether the caller may know that the petition exists. */
export const canSeePetition = (petition: PetitionState, caller: Caller | null) =>
  petition.deleted_at === null &&
  (isPublished(petition) || isCreator(petition, caller) || isModerator(caller));

/** Whether one rendered copy serves all anonymous readers. */
export const isOpenToAll = (petition: PetitionState) =>
  petition.deleted_at === null && isPublished(petition) && petition.visibility !== 'private';

/** Whether the caller may read the petition; private ones require the access code. */
export const canReadPetition = (
  ctx: Context,
  petition: PetitionState,
  caller: Caller | null,
  code: string | undefined,
) =>
  petition.visibility !== 'private' ||
  isCreator(petition, caller) ||
  isModerator(caller) ||
  isAccessCode(ctx, petition.id, code);

const isAnalyticsAllowed = (caller: Caller | null, isManaging: boolean) =>
  isModerator(caller) || isManaging;

/** Whether a caller may read a list of signers that is not public. */
const isSignerListAllowed = (caller: Caller | null, isManaging: boolean) =>
  caller?.role === 'admin' || isManaging;

const isExportAllowed = (petition: OwnedPetition, caller: Caller | null, isManaging: boolean) =>
  petition.signature_privacy !== 'count_only' && isSignerListAllowed(caller, isManaging);

/** Allowed for managers of the petition and for moderators. */
export const canReadAnalytics = async (
  ctx: Context,
  petition: OwnedPetition,
  caller: Caller | null,
) => isAnalyticsAllowed(caller, await isManager(ctx, petition, caller));

/** Whether the caller may export the signers of a petition that they can read. */
export const canExportSignatures = async (
  ctx: Context,
  petition: OwnedPetition,
  caller: Caller | null,
) => isExportAllowed(petition, caller, await isManager(ctx, petition, caller));

export const canListSignatures = async (
  ctx: Context,
  petition: OwnedPetition,
  caller: Caller | null,
) =>
  petition.signature_privacy === 'public' ||
  (petition.signature_privacy === 'creator_only' &&
    isSignerListAllowed(caller, await isManager(ctx, petition, caller)));

/** @throws {Problem} not-found, or forbidden for a private petition without its access code */
export function requireReadable(
  ctx: Context,
  petition: PetitionRow | undefined,
  caller: Caller | null,
  code: string | undefined,
): PetitionRow {
  if (!petition || !canSeePetition(petition, caller)) throw notFound('petition');
  if (!canReadPetition(ctx, petition, caller, code)) throw accessCodeRequired();
  return petition;
}

/** @throws {Problem} not-found if the caller cannot see it */
export function requireVisible(
  petition: PetitionRow | undefined,
  caller: Caller | null,
): PetitionRow {
  if (!petition || !canSeePetition(petition, caller)) throw notFound('petition');
  return petition;
}

/** @throws {Problem} not-found if the caller cannot see it, forbidden if another user created it */
export function requireOwn(found: PetitionRow | undefined, caller: Caller): PetitionRow {
  const petition = requireVisible(found, caller);
  if (!isCreator(petition, caller)) {
    throw forbidden('Only the creator of the petition may do this.');
  }
  return petition;
}

/** What a caller may do with a petition that they can see. */
export interface PetitionPermissions {
  /** Everything that is reserved to the creator. */
  canEdit: boolean;
  /** Read the petition, its comments and updates without an access code. */
  canRead: boolean;
  canReadAnalytics: boolean;
  canExportSignatures: boolean;
}

/** Returns what the caller may do with the petition, for pages that offer these actions. */
export async function permissionsFor(
  ctx: Context,
  petition: OwnedPetition,
  caller: Caller | null,
): Promise<PetitionPermissions> {
  const isReadable = canReadPetition(ctx, petition, caller, undefined);
  const isManaging = await isManager(ctx, petition, caller);
  return {
    canEdit: isCreator(petition, caller),
    canRead: isReadable,
    canReadAnalytics: isAnalyticsAllowed(caller, isManaging),
    canExportSignatures: isReadable && isExportAllowed(petition, caller, isManaging),
  };
}

export const accessCodeRequired = () =>
  forbidden('This petition is private: its access_code is needed.', 'access_code_required');

/** Returns the access code of a private petition. It is derived from the id and SECRET, and not stored. */
export const accessCode = (ctx: Context, petitionId: string) =>
  ctx.keys.hash('access-code', petitionId).toString('base64url').slice(0, 12);

export const isAccessCode = (ctx: Context, petitionId: string, code: string | undefined) =>
  code !== undefined && equalInConstantTime(code, accessCode(ctx, petitionId));

export const analyticsForbidden = () =>
  forbidden(
    'The analytics of a petition are for its creator, and owner and admins of its organization.',
  );
