import type { EventType } from '../../platform/events.ts';
import { conflict } from '../../platform/problems.ts';
import type { petitionStatuses } from './schema.ts';

export type PetitionStatus = (typeof petitionStatuses)[number];

interface Transition {
  from: readonly PetitionStatus[];
  to: PetitionStatus;
  event: EventType;
}

/** All changes of a petition's status. */
export const transitions = {
  publish: { from: ['draft'], to: 'active', event: 'petition.published' },
  /** Publishes if MODERATION is `pre`. */
  submit: { from: ['draft'], to: 'under_review', event: 'petition.under_review' },
  /** Hides the petition until it is reviewed, after many reports or its creator's suspension. */
  flag: { from: ['active'], to: 'under_review', event: 'petition.under_review' },
  approve: { from: ['under_review'], to: 'active', event: 'petition.approved' },
  reject: { from: ['under_review'], to: 'draft', event: 'petition.rejected' },
  close: { from: ['active'], to: 'closed', event: 'petition.closed' },
  /** Undoes the closing by a moderator after a complaint. */
  reopen: { from: ['closed'], to: 'active', event: 'petition.approved' },
  victory: { from: ['active'], to: 'victory', event: 'petition.victory' },
} as const satisfies Record<string, Transition>;

export type TransitionName = keyof typeof transitions;

/** @throws {Problem} conflict if the petition is in no status from which the transition begins */
export function transitionFrom(status: PetitionStatus, name: TransitionName): Transition {
  const transition: Transition = transitions[name];
  if (!transition.from.includes(status)) {
    throw conflict(
      'invalid_state',
      `The petition is ${status.replace('_', ' ')}; it must be ${transition.from.join(' or ').replace('_', ' ')} for this.`,
    );
  }
  return transition;
}
