import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createUsers, type TestUser } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { notificationTypes } from '../../identity/accounts/schema.ts';
import { unsubscribeToken } from './unsubscribing.ts';

describe('the link that ends mails of some kinds', () => {
  let service: Service;
  let person: TestUser;
  before(async () => {
    service = await startService();
    [person] = (await createUsers(service, 1)) as [TestUser];
  });
  after(() => service[Symbol.asyncDispose]());

  const pathOf = (...types: (typeof notificationTypes)[number][]) =>
    `/unsubscribe/${unsubscribeToken(service.ctx.keys, { userId: person.id, types })}`;
  const emailPrefs = async () =>
    (await person.api.get('/v1/notifications/preferences')).body.data.email;
  const oneClick = (path: string) =>
    service.api.post(path, 'List-Unsubscribe=One-Click', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });

  it('works for every pair of kinds in both orders, and ends exactly these', async () => {
    const allOn = Object.fromEntries(notificationTypes.map((type) => [type, true]));
    const pairs = notificationTypes.flatMap((first) =>
      notificationTypes
        .filter((second) => second !== first)
        .map((second) => [first, second] as const),
    );
    for (const pair of pairs) {
      await person.api.patch('/v1/notifications/preferences', { email: allOn });
      const path = pathOf(...pair);
      assert.equal((await service.api.get(path)).status, 200, pair.join());
      assert.deepEqual(await emailPrefs(), allOn, 'a GET changes nothing');
      assert.equal((await oneClick(path)).status, 200, pair.join());
      const ended = Object.fromEntries(pair.map((type) => [type, false]));
      assert.deepEqual(await emailPrefs(), { ...allOn, ...ended });
    }
  });

  it('works where a kind exists no more', async () => {
    const path = pathOf('gone' as never, 'comment_reply');
    assert.equal((await oneClick(path)).status, 200);
    assert.equal((await emailPrefs()).comment_reply, false);
  });
});
