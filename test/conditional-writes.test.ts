import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Answer, Client } from './support/client.ts';
import {
  createDraft,
  createOrganization,
  createPublished,
  signUp,
  signUpProven,
  type Person,
} from './support/people.ts';
import { startService, type Service } from './support/service.ts';
import { signByMany } from './support/signing.ts';

describe('a change with If-Match', () => {
  let service: Service;
  let creator: Person;
  let other: Person;
  before(async () => {
    service = await startService();
    creator = await signUpProven(service, 'Creator');
    other = await signUp(service, 'Other');
  });
  after(() => service[Symbol.asyncDispose]());

  const tagOf = ({ headers }: Answer): string => {
    const tag = headers.get('etag');
    assert.match(tag ?? '', /^W\/"[0-9a-f]{20}-[\w-]{22}"$/);
    return tag!;
  };
  const readTag = async (path: string, { api } = creator) => tagOf(await api.get(path));
  const matching = (tag: string) => ({ headers: { 'if-match': tag } });
  const refused = ({ status, body }: Answer) => {
    assert.equal(status, 412);
    assert.match(body.type, /\/errors\/precondition-failed$/);
  };
  const pathOf = ({ id }: { id: string }) => `/v1/petitions/${id}`;
  const postUpdate = async (): Promise<string> => {
    const petition = await createPublished(creator);
    const news = { title: 'On the agenda', body: 'On the third of May.' };
    const { body } = await creator.api.post(`${pathOf(petition)}/updates`, news);
    return `/v1/updates/${body.data.id}`;
  };

  it('names the same revision, whichever fields were read', async () => {
    const update = await postUpdate();
    const petition = await createPublished(creator);
    const draft = await createDraft(creator);
    for (const path of [pathOf(petition), pathOf(draft), update, '/v1/users/me']) {
      const whole = await readTag(path);
      const selected = await readTag(`${path}?fields=id`);
      assert.notEqual(selected, whole);
      assert.equal(selected.split('-')[0], whole.split('-')[0], path);
    }
  });

  for (const create of [createDraft, createPublished]) {
    it(`is made by one of ten editors at once (${create.name})`, async () => {
      const petition = await create(creator);
      const path = pathOf(petition);
      const tag = await readTag(path);
      const titles = Array.from({ length: 10 }, (_, n) => `The text of editor ${n}`);
      const answers = await Promise.all(
        titles.map((title) => creator.api.patch(path, { title }, matching(tag))),
      );
      const [made, ...more] = answers.filter(({ status }) => status === 200);
      assert.deepEqual(more, []);
      answers.filter((answer) => answer !== made).forEach(refused);
      assert.equal(made!.body.data.title, titles[answers.indexOf(made!)]);
      const read = await creator.api.get(path);
      assert.equal(read.body.data.title, made!.body.data.title);
      assert.equal(tagOf(read), tagOf(made!));
      const [{ versions }] = (await service.ctx.db`
        select count(*)::integer as versions from petition_versions
        where petition_id = ${petition.id}`) as [{ versions: number }];
      assert.equal(versions, create === createPublished ? 2 : 1);
    });
  }

  const resources: Record<string, () => Promise<{ path: string; changes: object[] }>> = {
    petition: async () => ({
      path: pathOf(await createPublished(creator)),
      changes: [{ title: 'Light the river path' }, { tags: ['river'] }],
    }),
    update: async () => ({
      path: await postUpdate(),
      changes: [{ title: 'They hear us' }, { body: 'On the fourth of May.' }],
    }),
    profile: async () => ({
      path: '/v1/users/me',
      changes: [{ bio: 'Likes rivers.' }, { show_signatures: true }],
    }),
    organization: async () => {
      const { id } = await createOrganization(creator);
      const path = `/v1/organizations/${id}`;
      return { path, changes: [{ description: 'We' }, { website: 'https://river.example/' }] };
    },
  };
  for (const [name, create] of Object.entries(resources)) {
    it(`is refused where another was made since, of a ${name}`, async () => {
      const { path, changes } = await create();
      const [first, second] = changes as [object, object];
      const tag = await readTag(path);
      const held = { headers: { 'if-none-match': tag } };
      const same = await creator.api.get(path, held);
      assert.equal(same.status, 304);
      const made = await creator.api.patch(path, first, matching(tag));
      assert.equal(made.status, 200);
      assert.notEqual(tagOf(made), tag);
      const read = await creator.api.get(path, held);
      assert.equal(read.status, 200);
      assert.equal(tagOf(read), tagOf(made));
      refused(await creator.api.patch(path, second, matching(tag)));
      refused(await creator.api.patch(path, {}, matching(tag)));
      assert.equal(await readTag(path), tagOf(made));
      assert.equal((await creator.api.patch(path, second)).status, 200);
      const now = matching(await readTag(path));
      assert.equal((await creator.api.patch(path, first, now)).status, 200);
    });
  }

  it('is not spoilt by signatures and comments in between, nor by proxies', async () => {
    const petition = await createPublished(creator);
    const path = pathOf(petition);
    const tag = await readTag(path);
    await signByMany(service, petition, 2);
    await other.api.post(`${path}/comments`, { body: 'We walk there every night.' });
    const [revision, rest] = /"([^-]*)-(.*)"/.exec(tag)!.slice(1) as [string, string];
    const seen = await readTag(path, other);
    assert.notEqual(seen, tag);
    assert.ok(seen.startsWith(`W/"${revision}-`));
    const tags = [
      tag,
      tag.slice(2),
      `W/"${revision}-${rest}-gzip"`,
      `"${revision}-${rest}-br"`,
      `"another-tag", ${tag}`,
      '*',
    ];
    for (const [n, one] of tags.entries()) {
      const changed = await creator.api.patch(path, { signatureGoal: 100 + n }, matching(one));
      assert.equal(changed.status, 200, one);
      assert.equal((await creator.api.patch(path, { signatureGoal: null })).status, 200);
    }
    for (const one of ['', '""', revision, `"${revision.slice(1)}-${rest}"`, '"*"', 'W/*']) {
      refused(await creator.api.patch(path, { signatureGoal: 100 }, matching(one)));
    }
  });

  it('is refused for a draft that was published meanwhile', async () => {
    const draft = await createDraft(creator);
    const tag = await readTag(pathOf(draft));
    await creator.api.post(`${pathOf(draft)}/publish`);
    refused(await creator.api.patch(pathOf(draft), { language: 'en' }, matching(tag)));
  });

  it('tells others no more than any other change', async () => {
    const { id } = await createOrganization(creator);
    const paths = [
      pathOf(await createPublished(creator)),
      await postUpdate(),
      `/v1/organizations/${id}`,
    ];
    for (const path of paths) {
      for (const tag of [await readTag(path), '"stale"']) {
        assert.equal((await other.api.patch(path, {}, matching(tag))).status, 403, path);
        const deletion = await other.api.delete(path, undefined, matching(tag));
        assert.equal(deletion.status, 403, path);
      }
    }
    const draft = pathOf(await createDraft(creator));
    assert.equal((await other.api.patch(draft, {}, matching('"stale"'))).status, 404);
  });

  it('deletes only what was read', async () => {
    const person = await signUp(service, 'Leaving');
    const deleting = async (path: string, api: Client, change: object, body?: object) => {
      const tag = tagOf(await api.get(path));
      const made = await api.patch(path, change);
      refused(await api.delete(path, body, matching(tag)));
      assert.equal((await api.get(path)).status, 200);
      assert.equal((await api.delete(path, body, matching(tagOf(made)))).status, 204);
    };
    const petition = pathOf(await createPublished(creator));
    await deleting(petition, creator.api, { title: 'Light the river path' });
    const again = await creator.api.delete(petition, undefined, matching('*'));
    assert.equal(again.status, 404);
    await deleting(await postUpdate(), creator.api, { title: 'They hear us' });
    const { id } = await createOrganization(creator);
    await deleting(`/v1/organizations/${id}`, creator.api, { description: 'We' });
    const proof = { password: person.password };
    await deleting('/v1/users/me', person.api, { bio: 'Likes rivers.' }, proof);
  });

  it('is described', async () => {
    const { paths } = (await service.api.get('/openapi.json')).body;
    for (const path of ['petitions/{id}', 'updates/{id}', 'users/me', 'organizations/{org_id}']) {
      const { get, patch, delete: remove } = paths[`/v1/${path}`];
      for (const { parameters, responses } of [patch, remove]) {
        const names = parameters.map(({ name }: { name: string }) => name);
        assert.ok(names.includes('If-Match'), path);
        assert.ok('412' in responses, path);
      }
      for (const { responses } of [get, patch]) assert.ok('ETag' in responses[200].headers, path);
      assert.ok(!('412' in get.responses), path);
    }
  });
});
