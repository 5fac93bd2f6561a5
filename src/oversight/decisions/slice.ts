import { giveRows } from '../../platform/rows-of-accounts.ts';
import { Type } from 'typebox';
import type { Sessions } from '../../identity/sessions/sessions.ts';
import type { Context } from '../../platform/context.ts';
import { eraseFromDecisions } from '../../platform/decisions.ts';
import { many, one, routes } from '../../platform/http/route.ts';
import { idOf } from '../../platform/http/schema.ts';
import type { Slice } from '../../platform/slice.ts';
import { decideComplaint, listComplaints } from './complaints.ts';
import {
  decisionMailsFollower,
  mailComplaint,
  mailDecision,
  type DecisionMailJob,
} from './mails.ts';
import { eraseFromComplaints, findComplaintsOf, findDecisionsAbout } from './queries.ts';
import { Complaint, ComplaintDecisionInput, ComplaintListQuery } from './schema.ts';

const api = routes('Admin');

/** Tells people what moderators decided and why, and takes their complaints. */
export const decisionsSlice = (ctx: Context, sessions: Sessions): Slice => ({
  routes: [
    api.get('/v1/admin/complaints', {
      id: 'listComplaints',
      summary: 'Complaints about decisions of moderators, oldest first',
      description:
        'For moderators. A complaint is decided by another moderator than the decision it is about.',
      auth: { access: 'moderator' },
      query: ComplaintListQuery,
      returns: many(Complaint),
      handle: ({ ctx: within, query }) => listComplaints(within, query),
    }),
    api.post('/v1/admin/complaints/{id}/decision', {
      id: 'decideComplaint',
      summary: 'Decide about a complaint',
      description:
        'The person who complained is told. Who made the decision can decide about the complaint only after 24 hours, which is marked.',
      auth: { access: 'moderator' },
      params: Type.Object({ id: idOf('the complaint') }),
      body: {
        schema: ComplaintDecisionInput,
        example: { decision: 'uphold', reason: 'The comment says where a person lives.' },
      },
      returns: one(Complaint),
      problems: ['forbidden', 'not-found', 'conflict'],
      handle: ({ ctx: within, caller, params, body }) =>
        decideComplaint(within, sessions, caller, params.id, body),
    }),
  ],
  followers: [decisionMailsFollower],
  mailJobs: {
    'mail-decision': (job: DecisionMailJob) => mailDecision(ctx, job),
    'mail-complaint': (job: { complaint_id: string }) => mailComplaint(ctx, job),
  },
  personalData: {
    name: 'moderation_decisions',
    export: async (db, userId) => ({
      decisions: await findDecisionsAbout(db, userId),
      complaints: await findComplaintsOf(db, userId),
    }),
    quarantine: {
      release: async (tx, accounts) => {
        await giveRows(tx, { table: 'moderation_decisions', column: 'user_id' }, accounts);
        await giveRows(tx, { table: 'complaints', column: 'user_id' }, accounts);
      },
    },
    async erase(tx, userId) {
      await eraseFromDecisions(tx, userId);
      await eraseFromComplaints(tx, userId);
    },
  },
});
