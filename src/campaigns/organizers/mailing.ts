import { findUser } from '../../identity/accounts/accounts.ts';
import type { Context } from '../../platform/context.ts';
import { mailboxKey, strangersMailQuota } from '../../platform/mail-suppressions.ts';
import { sendUnlessFinal, type Mail } from '../../platform/mail.ts';
import { isLanguage } from '../../platform/pages/language.ts';
import { linkToken } from './links.ts';
import { handedOverMail, invitationMail, offerMail } from './mail.ts';
import * as queries from './queries.ts';

/** About an organizer or an invitation. */
export interface OrganizerJob {
  organizer_id: string;
  petition_id: string;
}

/** Mails an invitation, unless it was accepted or ended meanwhile, or its creator is suspended. In the language of the petition: nothing says that of the recipient. */
export async function sendInvitation(ctx: Context, job: OrganizerJob): Promise<void> {
  const reference = { petitionId: job.petition_id, id: job.organizer_id };
  const invitation = await queries.findOrganizer(ctx.db, reference);
  const petition = await queries.findInvitedPetition(ctx.db, job.petition_id);
  if (!petition || !invitation?.expires_at || invitation.email === null) return;
  const { email, role, expires_at: expiresAt } = invitation;
  const { defaultLanguage } = ctx.site.current;
  const language = isLanguage(petition.language) ? petition.language : defaultLanguage;
  await sendUnlessFinal(
    ctx,
    invitationMail(ctx, {
      to: { email, language },
      petition,
      name: petition.creator.display_name,
      role,
      token: linkToken(ctx, invitation.id),
      expiresAt,
    }),
  );
}

/** Mails an offer, unless it ended meanwhile, or the address is unverified. Its limits were checked when it was made. */
export async function sendOffer(ctx: Context, job: OrganizerJob): Promise<void> {
  const reference = { petitionId: job.petition_id, id: job.organizer_id };
  const offered = await queries.findOrganizer(ctx.db, reference);
  const petition = await queries.findPetitionOfCreator(ctx.db, job.petition_id);
  const to = offered?.user_id && (await findUser(ctx.db, offered.user_id));
  if (!petition || !to || !to.email_verified_at || !offered.hand_over_offered_at) return;
  await sendUnlessFinal(ctx, offerMail(ctx, { to, petition, name: petition.creator.display_name }));
}

export interface HandedOverJob {
  petition_id: string;
  /** The recipient: who handed it over, or holds it now that its creator has left. */
  user_id: string;
  /** Who took it over from the recipient; absent if the recipient holds it. */
  by_id?: string;
}

/** Mails who held a petition, or holds it from now on. Sends nothing to an unverified address: its owner may know nothing of the account. */
export async function sendHandedOver(ctx: Context, job: HandedOverJob): Promise<void> {
  const petition = await queries.findPetitionOfCreator(ctx.db, job.petition_id);
  const to = await findUser(ctx.db, job.user_id);
  const by = job.by_id === undefined ? undefined : await findUser(ctx.db, job.by_id);
  if (!petition || !to?.email_verified_at || (job.by_id !== undefined && !by)) return;
  const mail = handedOverMail(ctx, { to, petition, name: by?.display_name });
  if (by) await sendUnlessFinal(ctx, mail);
  else await sendWithinLimit(ctx, mail);
}

/** Sends a mail that others cause, unless they have sent the mailbox enough for a day. A failed attempt does not count. */
async function sendWithinLimit(ctx: Context, mail: Mail): Promise<void> {
  const mailbox = mailboxKey(ctx.keys, mail.to);
  if (!(await ctx.limits.tryTake(strangersMailQuota, mailbox))) return;
  try {
    await sendUnlessFinal(ctx, mail);
  } catch (error) {
    // The job is tried again.
    await ctx.limits.giveBack(strangersMailQuota, mailbox);
    throw error;
  }
}
