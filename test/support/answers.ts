import { newId } from '../../src/platform/ids.ts';
import type { Service } from './service.ts';

/** Stores a published response to a petition. Returns its id. */
export async function answerPetition(
  { ctx }: Service,
  petition: { id: string },
  body = 'It comes back in May.',
): Promise<string> {
  const [makerId, id] = [newId(), newId()];
  await ctx.db`
    insert into decision_makers (id, petition_id, name, title, email)
    values (${makerId}, ${petition.id}, 'Grace', 'City Council', ${`maker-${makerId}@example.org`})`;
  await ctx.db`
    insert into decision_maker_responses
      (id, petition_id, maker_id, body, status, answered_from, published_at)
    values (${id}, ${petition.id}, ${makerId}, ${body}, 'supportive', 'example.org', now())`;
  return id;
}
