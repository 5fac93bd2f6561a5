import type { Context } from '../../platform/context.ts';
import { findJobsOf, removeJobsOf } from '../../platform/jobs.ts';
import { nothing, routes } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import { AccessCodeQuery, PetitionRef } from '../petitions/schema.ts';
import { contactOrganizer, jobName, sendContact, type ContactJob } from './organizer-contact.ts';
import { OrganizerMessage } from './schema.ts';

const api = routes('Petitions');

/** Messages of readers to those who organize a petition. */
export const organizerContactSlice = (ctx: Context): Slice => ({
  mailJobs: { [jobName]: (job: ContactJob) => sendContact(ctx, job) },
  personalData: {
    name: 'messages_to_organizers',
    export: (db, userId) => findJobsOf(db, jobName, userId),
    erase: (tx, userId) => removeJobsOf(tx, jobName, userId),
  },
  routes: [
    api.post('/v1/petitions/{id}/contact', {
      id: 'contactOrganizer',
      summary: 'Write to the organizer of a petition',
      description:
        'Mails the message, without links, with your name and your address for the answer. The organizer’s address is not shown to you before they answer. Needs a verified address: 403 `email_not_verified`. 409 `no_organizer` where the petition has no organizer with a verified address, 409 `own_petition` for your own. 5 messages a day.',
      auth: { access: 'user' },
      params: PetitionRef,
      query: AccessCodeQuery,
      body: {
        schema: OrganizerMessage,
        example: { message: 'Our club would like to help. Whom can we call?' },
      },
      returns: nothing(202),
      problems: ['forbidden', 'not-found', 'conflict', 'rate-limited'],
      handle: ({ ctx: within, caller, params, query, body }) =>
        contactOrganizer(within, caller, {
          ref: params.id,
          code: query.access_code,
          message: body.message,
        }),
    }),
  ],
});
