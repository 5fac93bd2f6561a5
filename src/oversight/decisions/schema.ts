import { Type, type Static } from 'typebox';
import { decisionActs } from '../../platform/decisions.ts';
import {
  named,
  nullable,
  oneOf,
  pageQuery,
  Timestamp,
  Uuid,
  VisibleText,
} from '../../platform/http/schema.ts';

/** Who complains: whom the decision concerns, or a person whose report it settled. */
export const complaintSides = ['author', 'reporter'] as const;
export type ComplaintSide = (typeof complaintSides)[number];
export const complaintStatuses = ['open', 'upheld', 'reversed'] as const;
export type ComplaintStatus = (typeof complaintStatuses)[number];

const person = { id: Uuid, display_name: Type.String() };

export const Complaint = named(
  'Complaint',
  Type.Object({
    id: Uuid,
    side: oneOf(complaintSides, {
      description: 'Whether the person whom the decision concerns complains, or a reporter.',
    }),
    text: nullable(Type.String({ description: 'Null once the account of the person was erased.' })),
    status: oneOf(complaintStatuses),
    decision: Type.Object({
      id: Uuid,
      act: oneOf(decisionActs, { description: 'What was done.' }),
      target_type: Type.String(),
      target_id: Uuid,
      petition_id: nullable(Uuid),
      about: Type.String({ description: 'The title of the petition; empty without one.' }),
      about_language: nullable(
        Type.String({ description: 'Of the title, as its creator named it' }),
      ),
      reason: nullable(Type.String({ description: 'What the person was told.' })),
      moderator: nullable(
        Type.Object(person, { description: 'Null once that account was erased.' }),
      ),
      created_at: Timestamp,
    }),
    decided_by: nullable(Type.Object(person)),
    decision_reason: nullable(Type.String()),
    same_moderator: Type.Boolean({
      description: 'Whether the moderator of the decision also decided about the complaint.',
    }),
    created_at: Timestamp,
    decided_at: nullable(Timestamp),
  }),
);
export type Complaint = Static<typeof Complaint>;

export const ComplaintListQuery = Type.Object({
  status: Type.Optional(
    oneOf(complaintStatuses, { default: 'open', description: 'Complaints in that state only.' }),
  ),
  ...pageQuery,
});
export type ComplaintListQuery = Static<typeof ComplaintListQuery>;

export const ComplaintInput = Type.Object({
  text: VisibleText({ lines: 'many', minLength: 20, maxLength: 2000 }),
});
export type ComplaintInput = Static<typeof ComplaintInput>;

export const complaintOutcomes = ['uphold', 'reverse'] as const;

export const ComplaintDecisionInput = Type.Object({
  decision: oneOf(complaintOutcomes, {
    description: 'uphold: the decision stands; reverse: it is undone.',
  }),
  reason: VisibleText({
    lines: 'many',
    minLength: 1,
    maxLength: 2000,
    description: 'What the person who complained is told.',
  }),
});
export type ComplaintDecisionInput = Static<typeof ComplaintDecisionInput>;
