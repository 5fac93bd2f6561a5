import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Answer } from '../../../test/support/client.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { waitingForLocks } from '../../../test/support/locks.ts';
import {
  createDraft,
  petitionInput,
  createPublished,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

interface Version {
  version: number;
  title: string;
  description: string;
}

describe('versions of a petition with concurrent changes', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService();
    creator = await signUp(service, 'Creator');
  });
  after(() => service[Symbol.asyncDispose]());

  const pathOf = ({ id }: { id: string }) => `/v1/petitions/${id}`;
  /** Holds a row lock until all requests have read the petition and wait to write. */
  const patchConcurrently = async (
    petition: { id: string },
    ...changes: object[]
  ): Promise<Answer[]> => {
    const answers: Promise<Answer>[] = [];
    await service.ctx.pools.main.begin(async (tx) => {
      await tx`select from petitions where id = ${petition.id} for update`;
      answers.push(...changes.map((one) => creator.api.patch(pathOf(petition), one)));
      await eventually(
        async () => (await waitingForLocks(service.ctx.db)) === changes.length,
        15_000,
      );
    });
    return Promise.all(answers);
  };
  const versionsOf = async (petition: { id: string }) => {
    const { data } = (await service.api.get(`${pathOf(petition)}/versions`)).body;
    return data.map(({ version, title, description }: Version) => [version, title, description]);
  };

  it('hold both changes of a draft, one of its title and one of its description', async () => {
    const petition = await createDraft(creator);
    const title = 'Light the river path';
    const description = `${petitionInput.description} Until the last train.`;
    for (const { status } of await patchConcurrently(petition, { title }, { description })) {
      assert.equal(status, 200);
    }
    const { body } = await creator.api.post(`${pathOf(petition)}/publish`);
    assert.deepEqual([body.data.title, body.data.description], [title, description]);
    assert.deepEqual(await versionsOf(petition), [[1, title, description]]);
  });

  it('include each change that was answered with 200, once', async () => {
    const petition = await createPublished(creator);
    const { description } = petitionInput;
    const changes = [1, 2, 3].map((n) => ({ title: `Light the river path ${n}` }));
    const answers = await patchConcurrently(petition, ...changes);
    const [accepted, ...rejected] = answers.toSorted((a, b) => a.status - b.status);
    assert.equal(accepted!.status, 200);
    assert.ok(rejected.every(({ body }) => body.code === 'edit_conflict'));
    assert.deepEqual(await versionsOf(petition), [
      [2, accepted!.body.data.title, description],
      [1, petition.title, description],
    ]);
  });
});
