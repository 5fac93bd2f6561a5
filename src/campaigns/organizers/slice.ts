import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/db.ts';
import { emit, systemActor } from '../../platform/events.ts';
import { addMailJob } from '../../platform/mail-queue.ts';
import type { Slice } from '../../platform/slice.ts';
import { forgetRedactionReasons, lockPetitionsOfCreator } from '../petitions/state.ts';
import { givePetition } from './giving.ts';
import { handedOverJob, offerJob } from './hand-over.ts';
import {
  sendHandedOver,
  sendInvitation,
  sendOffer,
  type HandedOverJob,
  type OrganizerJob,
} from './mailing.ts';
import { invitationJob } from './organizers.ts';
import {
  deleteExpiredInvitations,
  deleteInvitationsOfCreator,
  deleteOrganizersOfUser,
  exportOrganizers,
  findSuccessors,
  giveOrganizers,
  withdrawOffersOfCreator,
} from './queries.ts';
import { organizerRoutes } from './routes.ts';

/** Those who organize petitions with their creators. Before petitions: what is passed on is not erased with its creator. */
export const organizersSlice = (ctx: Context): Slice => ({
  routes: organizerRoutes,
  mailJobs: {
    [invitationJob]: (job: OrganizerJob) => sendInvitation(ctx, job),
    [offerJob]: (job: OrganizerJob) => sendOffer(ctx, job),
    [handedOverJob]: (job: HandedOverJob) => sendHandedOver(ctx, job),
  },
  jobs: { 'delete-expired-invitations': () => deleteExpiredInvitations(ctx.db) },
  schedules: [{ job: 'delete-expired-invitations', cron: '41 3 * * *' }],
  personalData: {
    name: 'organizers',
    export: exportOrganizers,
    erase: leavePetitions,
    quarantine: {
      hide: endOffersOf,
      release: giveOrganizers,
    },
    eraseLate: leavePetitions,
  },
});

/** Ends what the creator of petitions offered to others. */
async function endOffersOf(tx: Tx, userId: string): Promise<void> {
  await lockPetitionsOfCreator(tx, userId);
  await deleteInvitationsOfCreator(tx, userId);
  await withdrawOffersOfCreator(tx, userId);
}

/** Passes the petitions of an account on to who organizes them with it, and ends its part in those of others. */
async function leavePetitions(tx: Tx, userId: string): Promise<void> {
  await lockPetitionsOfCreator(tx, userId);
  await forgetRedactionReasons(tx, userId);
  for (const successor of await findSuccessors(tx, userId)) {
    if (!(await givePetition(tx, userId, successor))) continue;
    const { petition_id: petitionId, user_id } = successor;
    await emit(tx, { type: 'petition.handed_over', petitionId, actor: systemActor });
    await addMailJob(tx, handedOverJob, { petition_id: petitionId, user_id });
  }
  await deleteInvitationsOfCreator(tx, userId);
  await deleteOrganizersOfUser(tx, userId);
}
