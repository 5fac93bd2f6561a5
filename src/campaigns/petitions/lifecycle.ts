import type { EventType } from '../../platform/events.ts';
import { conflict } from '../../platform/problems.ts';
import type { petitionStatuses } from './schema.ts';

export type PetitionStatus = (typeof petitionStatuses)[number];

interface Transition {
  from: readonly PetitionStatus[];
  to: PetitionStatus;
  event: EventType;
}

/** Every way in which a petition's status changes; nothing else changes it. */
export const transitions = {
  publish: { from: ['draft'], to: 'active', event: 'petition.published' },
  /** Publishing where MODERATION is `pre`. */
  submit: { from: ['draft'], to: 'under_review', event: 'petition.under_review' },
  /** Out of sight until somebody has looked at it: reported too often, or its creator suspended. */
  flag: { from: ['active'], to: 'under_review', event: 'petition.under_review' },
  approve: { from: ['under_review'], to: 'active', event: 'petition.approved' },
  reject: { from: ['under_review'], to: 'draft', event: 'petition.rejected' },
  close: { from: ['active'], to: 'closed', event: 'petition.closed' },
  victory: { from: ['active'], to: 'victory', event: 'petition.victory' },
} as const satisfies Record<string, Transition>;

export type TransitionName = keyof typeof transitions;

/** The transition, if the petition is where it begins. @throws {Problem} conflict else */
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
