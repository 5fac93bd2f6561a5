import { isOrganizationAdmin } from '../../identity/organizations/organizations.ts';
import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../platform/http/route.ts';
import { equalInConstantTime } from '../../platform/keys.ts';
import { networkOf, type Quota } from '../../platform/limits.ts';
import { forbidden, notFound } from '../../platform/problems.ts';
import type { OrganizerRole, PetitionRow } from './queries.ts';
import { publishedStatuses } from './schema.ts';
import type { PetitionState } from './state.ts';

type OwnedPetition = PetitionState & Pick<PetitionRow, 'org_id'>;

export const isCreator = (
  petition: Pick<PetitionRow, 'creator_id'>,
  caller: Pick<Caller, 'userId'> | null,
) => caller !== null && petition.creator_id === caller.userId;

/**
 * Whether the caller is the creator, or the owner or an admin of the petition's organization. Queries the
 * database only for callers other than the creator.
 */
const isManager = async (ctx: Context, petition: OwnedPetition, caller: Caller | null) =>
  isCreator(petition, caller) ||
  (caller !== null &&
    petition.org_id !== null &&
    isOrganizationAdmin(ctx.db, petition.org_id, caller.userId));

/** Returns what an organizer beside the creator may do; undefined for others. */
const organizerRole = (
  { organizer_roles: roles }: Pick<PetitionRow, 'organizer_roles'>,
  caller: Pick<Caller, 'userId'> | null,
): OrganizerRole | undefined => (caller === null ? undefined : roles[caller.userId]);

type OrganizedPetition = Pick<PetitionRow, 'creator_id' | 'organizer_roles'>;

/** Whether the caller is the creator of the petition or organizes it with them: may see it, and write updates. */
export const isOrganizer = (petition: OrganizedPetition, caller: Pick<Caller, 'userId'> | null) =>
  isCreator(petition, caller) || organizerRole(petition, caller) !== undefined;

/** Whether the caller may change the petition's text, pictures and decision makers. */
export const canEdit = (petition: OrganizedPetition, caller: Pick<Caller, 'userId'> | null) =>
  isCreator(petition, caller) || organizerRole(petition, caller) === 'editor';

export const isModerator = (caller: Caller | null) =>
  caller?.role === 'moderator' || caller?.role === 'admin';

export const isPublished = ({ status }: Pick<PetitionRow, 'status'>) =>
  publishedStatuses.some((one) => one === status);

/** Whether the caller may know that the petition exists. */
export const canSeePetition = (petition: PetitionState, caller: Caller | null) =>
  petition.deleted_at === null &&
  (isPublished(petition) || isOrganizer(petition, caller) || isModerator(caller));

/** Whether everybody could read the petition before it was removed. */
export const wasRemovedFromPublic = ({
  deleted_at,
  published_at,
  visibility,
}: Pick<PetitionRow, 'deleted_at' | 'published_at' | 'visibility'>): boolean =>
  deleted_at !== null && published_at !== null && visibility !== 'private';

/** Whether one rendered copy serves all anonymous readers. */
export const isOpenToAll = (petition: PetitionState) =>
  petition.deleted_at === null && isPublished(petition) && petition.visibility !== 'private';

/** Whether the caller may read the petition without an access code. */
export const isReadable = (petition: PetitionState, caller: Caller | null) =>
  petition.visibility !== 'private' || isOrganizer(petition, caller) || isModerator(caller);

/**
 * Whether the caller may read the petition; private ones require the access code.
 * @throws {Problem} rate-limited after too many wrong codes
 */
export const canReadPetition = async (
  ctx: Context,
  petition: PetitionState,
  caller: Caller | null,
  code: string | undefined,
): Promise<boolean> => isReadable(petition, caller) || (await isAccessCode(ctx, petition, code));

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
export async function requireReadable(
  ctx: Context,
  petition: PetitionRow | undefined,
  caller: Caller | null,
  code: string | undefined,
): Promise<PetitionRow> {
  if (!petition || !canSeePetition(petition, caller)) throw notFound('petition');
  if (!(await canReadPetition(ctx, petition, caller, code))) throw accessCodeRequired();
  return petition;
}

/** @throws {Problem} not-found if the caller cannot see it */
export function requireVisible<T extends PetitionState>(
  petition: T | undefined,
  caller: Caller | null,
): T {
  if (!petition || !canSeePetition(petition, caller)) throw notFound('petition');
  return petition;
}

/** @throws {Problem} not-found if the caller cannot see it, forbidden if another user created it */
export function requireOwn<T extends PetitionState>(found: T | undefined, caller: Caller): T {
  const petition = requireVisible(found, caller);
  if (!isCreator(petition, caller)) {
    throw forbidden('Only the creator of the petition may do this.');
  }
  return petition;
}

/** @throws {Problem} not-found if the caller cannot see it, forbidden unless they may edit it */
export function requireEditable<T extends PetitionState>(found: T | undefined, caller: Caller): T {
  const petition = requireVisible(found, caller);
  if (!canEdit(petition, caller)) {
    throw forbidden('Only the creator and the editors of the petition may do this.');
  }
  return petition;
}

/** @throws {Problem} not-found if the caller cannot see it, forbidden unless they organize it */
export function requireOrganized(found: PetitionRow | undefined, caller: Caller): PetitionRow {
  const petition = requireVisible(found, caller);
  if (!isOrganizer(petition, caller)) throw organizersOnly();
  return petition;
}

export const organizersOnly = () => forbidden('Only those who organize the petition may do this.');

/** What a caller may do with a petition that they can see. */
export interface PetitionPermissions {
  /** Everything that is reserved to the creator. */
  isCreator: boolean;
  /** Change the text, pictures and decision makers. */
  canEdit: boolean;
  /** See it in the dashboard, and write updates. */
  isOrganizer: boolean;
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
  const canRead = isReadable(petition, caller);
  const isManaging = await isManager(ctx, petition, caller);
  return {
    isCreator: isCreator(petition, caller),
    canEdit: canEdit(petition, caller),
    isOrganizer: isOrganizer(petition, caller),
    canRead,
    canReadAnalytics: isAnalyticsAllowed(caller, isManaging),
    canExportSignatures: canRead && isExportAllowed(petition, caller, isManaging),
  };
}

export const accessCodeRequired = () =>
  forbidden('This petition is private: its access_code is needed.', 'access_code_required');

/** Wrong access codes of one petition from one network. */
const accessCodeQuota: Quota = {
  name: 'access-code',
  points: 20,
  durationSeconds: 900,
  countsWithoutRedis: true,
};

type CodedPetition = Pick<PetitionRow, 'id' | 'access_code_version'>;

/** Returns the access code of a private petition. It is derived by a key, and not stored. */
export const accessCode = (
  { keys }: Context,
  { id, access_code_version: version }: CodedPetition,
): string =>
  keys
    .hash('access-code', ...(version === 0 ? [id] : [id, String(version)]))
    .toString('base64url')
    .slice(0, 12);

/**
 * Whether a caller has sent the access code of the petition.
 * @throws {Problem} rate-limited after too many wrong codes
 */
export async function isAccessCode(
  ctx: Context,
  petition: CodedPetition,
  code: string | undefined,
): Promise<boolean> {
  if (code === undefined) return false;
  const network = ctx.callerIp === undefined ? '' : networkOf(ctx.callerIp);
  const isRight = await ctx.limits.checkGuess(
    [[accessCodeQuota, `${petition.id} ${network}`]],
    'Too many wrong access codes.',
    async () => equalInConstantTime(code, accessCode(ctx, petition)) || undefined,
  );
  return isRight ?? false;
}

export const analyticsForbidden = () =>
  forbidden(
    'The analytics of a petition are for its creator, and owner and admins of its organization.',
  );
