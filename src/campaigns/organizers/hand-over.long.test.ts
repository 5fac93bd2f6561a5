import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createOrganized, creatorOf, eraseAccount } from '../../../test/support/organizers.ts';
import { startService } from '../../../test/support/service.ts';

it('handing over leaves nobody without an owner, raced with erasing 50 times', async () => {
  await using service = await startService();
  for (let n = 0; n < 50; n++) {
    const { creator, petition, people, path } = await createOrganized(service, 'editor', 'author');
    const [editor, author] = people;
    const input = { organizer_id: editor!.organizerId };
    await creator.api.put(`${path}/hand-over`, input);
    await creator.api.post(`${path}/signatures`);
    const leaving = [creator, editor!, author!].slice(0, 1 + (n % 3));
    await Promise.all([
      editor!.api.post(`${path}/hand-over/accept`),
      author!.api.post(`${path}/updates`, { title: 'News', body: 'Meanwhile' }),
      ...leaving.map((person) => eraseAccount(service, person)),
    ]);
    const left = [creator, editor!, author!].filter((person) => !leaving.includes(person));
    const owner = await creatorOf(service, petition.id);
    if (left.length === 0) assert.equal(owner, null, `round ${n}`);
    else
      assert.ok(
        left.some(({ id }) => id === owner),
        `round ${n}: ${owner}`,
      );
    const organizers = await service.ctx.db.column<string>`
      select user_id from petition_organizers where petition_id = ${petition.id}`;
    assert.ok(organizers.every((id) => id !== owner && left.some((one) => one.id === id)));
  }
});
