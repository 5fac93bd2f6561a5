import { conflict, invalidValue } from '../../platform/problems.ts';
import type { TransitionName } from './lifecycle.ts';
import type { PetitionRow } from './queries.ts';

export interface ClosingPetition extends Pick<PetitionRow, 'status'> {
  closes_at: Date | string | null;
}

const isPast = ({ closes_at: date }: ClosingPetition, now: Date) =>
  date !== null && new Date(date) <= now;

/** Whether the date of an active petition has passed, and the worker has not closed it yet. Reads show it as closed. */
export const isDueToClose = (petition: ClosingPetition, now: Date): boolean =>
  petition.status === 'active' && isPast(petition, now);

/** @throws {Problem} validation-failed if the date is not in the future */
export function requireFuture(closesAt: Date | null | undefined, now: Date): void {
  if (!closesAt || (closesAt > now && closesAt.getUTCFullYear() <= 9999)) return;
  throw invalidValue('closesAt', 'This must be a time in the future, before the year 10000.');
}

/**
 * Closing shows a petition again that moderators have hidden, so its creator cannot bring that forward.
 * @throws {Problem} conflict if the petition has ended, or moderators look at it after it was published
 */
export function requireChangeableDate(
  petition: ClosingPetition & Pick<PetitionRow, 'published_at'>,
  now: Date,
): void {
  const { status, published_at: publishedAt } = petition;
  if (status === 'closed' || status === 'victory' || isDueToClose(petition, now)) {
    throw conflict('invalid_state', 'The petition has ended: its closing date is settled.');
  }
  if (status === 'under_review' && publishedAt !== null) {
    throw conflict(
      'invalid_state',
      'Moderators look at the petition: its closing date is settled.',
    );
  }
}

/** @throws {Problem} conflict if the transition publishes a draft whose date has passed */
export function requireOpenDate(petition: ClosingPetition, name: TransitionName, now: Date): void {
  if ((name === 'publish' || name === 'submit') && isPast(petition, now)) {
    const message = 'The closing date has passed. Change it, or remove it, and publish again.';
    throw conflict('closing_date_passed', message);
  }
}
