import type { SignatureInput } from '../../src/campaigns/signatures/schema.ts';
import { milestoneStep, milestoneCounts } from '../../src/campaigns/signatures/milestones.ts';
import type {
  SignatureOutcome,
  SignatureRequest,
  Verdict,
} from '../../src/campaigns/signatures/queries.ts';
import { signPetition } from '../../src/campaigns/signatures/signatures.ts';
import type { SignatureWriter } from '../../src/campaigns/signatures/writer.ts';
import { evictPetitions } from '../../src/campaigns/petitions/cache.ts';
import {
  isUniqueViolation,
  openPool,
  transaction,
  type Pool,
  type Tx,
} from '../../src/platform/db.ts';
import { emit } from '../../src/platform/events.ts';
import type { Call, Caller, Route } from '../../src/platform/http/route.ts';

type SigningCall = Call<{ id: string }, { access_code?: string }, SignatureInput, Caller>;

/**
 * Returns the routes with signing by one transaction for each signature. Everything besides the database
 * (authentication, limits, validation, the receipt) is the service's own.
 */
export function withUsualSigning(routes: Route[], databaseUrl: string, max: number): Route[] {
  const pool = openPool(databaseUrl, { name: 'usual', max });
  return routes.map((route) => {
    if (route.id !== 'signPetition') return route;
    return {
      ...route,
      handle({ ctx, caller, params, query, body, ip, headers }: SigningCall) {
        const usual: Pick<SignatureWriter, 'sign'> = {
          async sign(request) {
            const outcome = await signUsually(pool, request);
            evictPetitions(ctx, [request.petitionId]);
            return outcome;
          },
        };
        const call = {
          caller,
          ref: params.id,
          input: body,
          code: query.access_code,
          ip,
          userAgent: headers['user-agent'],
        };
        return signPetition(ctx, usual as SignatureWriter, call);
      },
    };
  });
}

/**
 * Stores one signature in one transaction: select, insert, update of the count, event. It does not update the trend,
 * which the service's own statement does: this favours the usual way.
 */
export async function signUsually(
  pool: Pool,
  request: SignatureRequest,
): Promise<SignatureOutcome> {
  try {
    return await transaction(pool, (tx) => signIn(tx, request));
  } catch (error) {
    if (isUniqueViolation(error, 'signatures_once')) return refused('duplicate');
    throw error;
  }
}

async function signIn(tx: Tx, request: SignatureRequest): Promise<SignatureOutcome> {
  const { id, petitionId, userId } = request;
  const [petition] = await tx`
    select p.status, p.visibility, p.version, p.creator_id, p.signature_goal,
      u.id as user_id, u.role, u.suspended_at
    from petitions p left join users u on u.id = ${userId}
    where p.id = ${petitionId} and p.deleted_at is null`;
  const refusal = judge(petition, request);
  if (refusal) return refused(refusal);
  await tx`
    insert into signatures
      (id, petition_id, user_id, version, is_anonymous, comment, display_location)
    values (${id}, ${petitionId}, ${userId}, ${petition!.version}, ${request.isAnonymous},
      ${request.comment}, ${request.displayLocation})`;
  const [counted] = await tx`
    update petitions set signature_count = signature_count + 1 where id = ${petitionId}
    returning signature_count`;
  const count = counted!.signature_count as number;
  const reached = isMilestone(count, petition!.signature_goal) && (await insertMilestone());
  const event = {
    petitionId,
    actor: { type: 'user', id: request.isAnonymous ? null : userId },
    data: { signature_id: id, signature_count: count },
  } as const;
  await emit(tx, { type: 'signature.created', ...event });
  if (reached) await emit(tx, { type: 'signature.milestone', ...event });
  return { verdict: 'signed', signature_count: count, milestone_reached: reached };

  async function insertMilestone(): Promise<boolean> {
    const result = await tx`
      insert into milestones (petition_id, threshold, signature_id)
      values (${petitionId}, ${count}, ${id}) on conflict do nothing`;
    return result.count === 1;
  }
}

const refused = (verdict: Verdict): SignatureOutcome => ({
  verdict,
  signature_count: null,
  milestone_reached: false,
});

function judge(
  // A row from the driver.
  petition: Record<string, unknown> | undefined,
  { userId, hasCode }: SignatureRequest,
): Verdict | undefined {
  if (!petition) return 'unknown_petition';
  if (!petition.user_id) return 'unknown_user';
  if (petition.suspended_at) return 'suspended';
  const privileged = petition.role !== 'user' || petition.creator_id === userId;
  if (petition.visibility === 'private' && !hasCode && !privileged) return 'private';
  if (petition.status !== 'active') return 'not_active';
  return undefined;
}

const isMilestone = (count: number, goal: number | null): boolean =>
  (milestoneCounts as readonly number[]).includes(count) ||
  count % milestoneStep === 0 ||
  count === goal;
