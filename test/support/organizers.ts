import { newId } from '../../src/platform/ids.ts';
import { createPublished, logIn, signUp, verifyAddress, type Person } from './people.ts';
import type { Service } from './service.ts';

export type OrganizerRole = 'editor' | 'author';

/** Makes somebody an organizer of a petition, without a mail. Returns their id as an organizer. */
export async function addOrganizer(
  { ctx }: Service,
  petitionId: string,
  { id: userId, email }: Pick<Person, 'id' | 'email'>,
  role: OrganizerRole,
): Promise<string> {
  const id = newId();
  await ctx.db`
    insert into petition_organizers (id, petition_id, email, user_id, role, accepted_at)
    values (${id}, ${petitionId}, ${email}, ${userId}, ${role}, now())`;
  return id;
}

/** A petition with its creator, and people with proven addresses who organize it, in the order in which they joined. */
export async function createOrganized(service: Service, ...roles: OrganizerRole[]) {
  const creator = await signUp(service, 'Former Creator');
  await verifyAddress(service, creator);
  const petition: { id: string } = await createPublished(creator);
  const people: (Person & { organizerId: string })[] = [];
  for (const role of roles) {
    const person = await signUp(service, `An ${role}`);
    await verifyAddress(service, person);
    const organizerId = await addOrganizer(service, petition.id, person, role);
    people.push({ ...person, organizerId });
  }
  return { creator, petition, people, path: `/v1/petitions/${petition.id}` };
}

export const creatorOf = ({ ctx }: Service, petitionId: string): Promise<string | null> =>
  ctx.db.value<string | null>`select creator_id from petitions where id = ${petitionId}`;

/** Logs in and erases the account. Returns the status. */
export async function eraseAccount(service: Service, person: Person): Promise<number> {
  const { api } = await logIn(service, person);
  return (await api.delete('/v1/users/me', { password: person.password })).status;
}
