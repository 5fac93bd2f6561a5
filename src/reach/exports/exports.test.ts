import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { registerClient, tokensFor } from '../../../test/support/oauth.ts';
import {
  createDraft,
  createOrganization,
  addMember,
  logInAsAdmin,
  createUsers,
  createPublished,
  signUp,
  type Person,
  type TestUser,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

const readCsv = (text: string) => parse<Record<string, string>>(text, { bom: true, columns: true });

describe('exports', () => {
  let service: Service;
  let creator: Person;
  let stranger: TestUser;
  let signers: TestUser[];
  before(async () => {
    service = await startService();
    creator = await signUp(service, 'Ada');
    [stranger, ...signers] = (await createUsers(service, 5)) as [TestUser, ...TestUser[]];
  });
  after(() => service[Symbol.asyncDispose]());

  const exportOf = ({ id }: { id: string }, query = '') =>
    `/v1/petitions/${id}/signatures/export${query}`;

  /** Signs with all signers in order: the first with a comment, the second anonymous, the third invalid. */
  const signAll = async (petition: { id: string }) => {
    const inputs = [
      { comment: '=HYPERLINK("http://evil.example","x")', display_location: 'Leeds, GB' },
      { is_anonymous: true, comment: 'Two\nlines, "quoted"; and more' },
      {},
      { comment: '' },
    ];
    const ids: string[] = [];
    for (const [n, signer] of signers.entries()) {
      const { status, body } = await signer.api.post(
        `/v1/petitions/${petition.id}/signatures`,
        inputs[n],
      );
      assert.equal(status, 201);
      ids.push(body.data.id);
    }
    await service.ctx
      .db`update signatures set invalidated_by = 1, state = 'invalid' where id = ${ids[2]!}`;
    return ids;
  };

  describe('of signatures', () => {
    it('list all signatures, oldest first, as their creator can see them', async () => {
      const petition = await createPublished(creator);
      const ids = await signAll(petition);
      for (const ref of [petition.id, petition.slug]) {
        const { status, body, headers } = await creator.api.get(exportOf({ id: ref }));
        assert.equal(status, 200);
        assert.equal(headers.get('cache-control'), 'private, no-store');
        assert.deepEqual(
          body.data.map((row: { id: string }) => row.id),
          ids,
        );
        assert.deepEqual(body.pagination, { next_cursor: null, has_more: false });
        const [first, anonymous, invalid] = body.data;
        assert.deepEqual(first.user, { display_name: 'Signer', slug: signers[0]!.id });
        assert.equal(first.comment, '=HYPERLINK("http://evil.example","x")');
        assert.equal(first.display_location, 'Leeds, GB');
        assert.equal(first.state, 'counted');
        assert.equal(anonymous.user, null);
        assert.equal(anonymous.is_anonymous, true);
        assert.equal(invalid.state, 'invalid');
      }
    });

    it('are CSV that spreadsheets can open safely', async () => {
      const petition = await createPublished(creator);
      const ids = await signAll(petition);
      const { status, body, headers } = await creator.api.get(exportOf(petition, '?format=csv'));
      assert.equal(status, 200);
      assert.match(headers.get('content-type')!, /^text\/csv; charset=utf-8/);
      assert.equal(
        headers.get('content-disposition'),
        `attachment; filename="signatures-${petition.slug}.csv"`,
      );
      assert.match(body, /^\uFEFF?id,created_at,state,signer_name,signer_slug,comment,/);
      const rows = readCsv(body);
      assert.deepEqual(
        rows.map(({ id }) => id),
        ids,
      );
      const [first, anonymous, invalid] = rows;
      assert.equal(first!.comment, `'=HYPERLINK("http://evil.example","x")`);
      assert.equal(first!.signer_name, 'Signer');
      assert.match(first!.created_at!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.deepEqual([anonymous!.signer_name, anonymous!.signer_slug], ['', '']);
      assert.equal(anonymous!.comment, 'Two\nlines, "quoted"; and more');
      assert.equal(invalid!.state, 'invalid');
      assert.ok(!body.includes(signers[1]!.id));
    });

    it('of a petition without signatures are empty, with the names of the columns', async () => {
      const petition = await createPublished(creator);
      assert.deepEqual((await creator.api.get(exportOf(petition))).body.data, []);
      const { body } = await creator.api.get(exportOf(petition, '?format=csv'));
      assert.equal(body.split('\r\n').length, 2);
    });

    it('can be limited to a range of time, and continue after an id', async () => {
      const petition = await createPublished(creator);
      const ids = await signAll(petition);
      const times = ['2026-01-01T10:00:00Z', '2026-01-01T11:00:00Z', '2026-01-02T10:00:00Z'];
      // Backdates the signatures, in their ids too.
      const at = (n: number) => times[n]!;
      for (const [n, time] of times.entries()) {
        const hex = Date.parse(time).toString(16).padStart(12, '0');
        const id = `${hex.slice(0, 8)}-${hex.slice(8)}${ids[n]!.slice(13)}`;
        await service.ctx.db`
          update signatures set id = ${id}, created_at = ${time} where id = ${ids[n]!}`;
        ids[n] = id;
      }
      const idsOf = async (query: string) => {
        const { status, body } = await creator.api.get(exportOf(petition, query));
        assert.equal(status, 200, JSON.stringify(body));
        return body.data.map((row: { id: string }) => row.id);
      };
      assert.deepEqual(await idsOf(`?from=${at(1)}`), ids.slice(1));
      assert.deepEqual(await idsOf(`?until=${at(1)}`), ids.slice(0, 1));
      assert.deepEqual(await idsOf(`?signed_after=${at(1)}`), ids.slice(2));
      assert.deepEqual(await idsOf(`?signed_after=${at(0)}&from=${at(1)}`), ids.slice(1));
      assert.deepEqual(await idsOf(`?from=${at(1)}&until=${at(2)}`), ids.slice(1, 2));
      assert.deepEqual(await idsOf(`?from=2026-01-01T12:00:00%2B01:00`), ids.slice(1));
      assert.deepEqual(await idsOf(`?from=${at(2)}&until=${at(1)}`), []);
      assert.deepEqual(await idsOf(`?after=${ids[1]!.toUpperCase()}`), ids.slice(2));
      assert.deepEqual(await idsOf(`?after=${ids[0]}&until=${at(2)}`), ids.slice(1, 2));
      for (const time of ['1000-01-01T00:00:00Z', '9999-01-01T00:00:00Z']) {
        assert.equal((await idsOf(`?from=${time}`)).length, time < '2' ? 4 : 0);
      }
      for (const wrong of [
        'from=yesterday',
        'signed_after=yesterday',
        'until=2026-06-30T23:59:60Z',
        'after=7',
        'format=xml',
      ]) {
        const answer = await creator.api.get(exportOf(petition, `?${wrong}`));
        assert.equal(answer.status, 422, wrong);
      }
    });

    it('are only for those who act for the petition', async () => {
      const admin = await logInAsAdmin(service);
      const [orgAdmin, orgMember] = (await createUsers(service, 2)) as [TestUser, TestUser];
      const organization = await createOrganization(creator);
      await addMember(creator, organization, orgAdmin, 'admin');
      await addMember(creator, organization, orgMember);
      const orgId = organization.id;
      const statusFor = async (person: { api: TestUser['api'] }, petition: { id: string }) =>
        (await person.api.get(exportOf(petition))).status;
      for (const signaturePrivacy of ['public', 'creator_only']) {
        const petition = await createPublished(creator, { signaturePrivacy, orgId });
        for (const person of [creator, admin, orgAdmin])
          assert.equal(await statusFor(person, petition), 200);
        for (const person of [stranger, orgMember])
          assert.equal(await statusFor(person, petition), 403);
        assert.equal(await statusFor(service, petition), 401);
      }
      const secret = await createPublished(creator, { signaturePrivacy: 'count_only', orgId });
      for (const person of [creator, admin, orgAdmin, stranger]) {
        assert.equal(await statusFor(person, secret), 403);
      }
      const unseen = await createDraft(creator);
      assert.equal(await statusFor(stranger, unseen), 404);
      assert.equal(await statusFor(creator, unseen), 200);
      const hidden = await createPublished(creator, { visibility: 'private', orgId });
      assert.equal(await statusFor(stranger, hidden), 403);
      const { body } = await creator.api.get(`/v1/petitions/${hidden.id}`);
      const withCode = `?access_code=${body.data.access_code}`;
      assert.equal((await orgAdmin.api.get(exportOf(hidden, withCode))).status, 200);
      assert.equal((await stranger.api.get(exportOf(hidden, withCode))).status, 403);
    });
  });

  describe('of petitions', () => {
    const idsIn = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);

    it('contain what the caller sees in lists', async () => {
      const author = await signUp(service, 'Grace');
      const open = await createPublished(author, {
        tags: ['River', 'Night'],
        locationCountry: 'GB',
      });
      const unlisted = await createPublished(author, { visibility: 'unlisted' });
      const hidden = await createPublished(author, { visibility: 'private' });
      const unfinished = await createDraft(author);
      const all = `/v1/petitions/export?limit=1000&creatorId=${author.id}`;
      const own = await author.api.get(all);
      assert.deepEqual(
        new Set(idsIn(own.body)),
        new Set([open.id, unlisted.id, hidden.id, unfinished.id]),
      );
      assert.ok(!JSON.stringify(own.body).includes('access_code'));
      assert.deepEqual(idsIn((await stranger.api.get(all)).body), [open.id]);
      const drafts = '/v1/petitions/export?status=draft';
      assert.deepEqual(idsIn((await author.api.get(drafts)).body), [unfinished.id]);
      assert.deepEqual(idsIn((await stranger.api.get(drafts)).body), []);
      assert.deepEqual(
        idsIn((await stranger.api.get(`${drafts}&creatorId=${author.id}`)).body),
        [],
      );
      assert.equal((await service.api.get(all)).status, 401);
      const shown = (await stranger.api.get(all)).body.data[0];
      const read = await service.api.get(`/v1/petitions/${open.id}`);
      const { description_html: _html, ...exported } = read.body.data;
      assert.deepEqual(shown, exported);
      const filtered = `${all}&status=closed`;
      assert.deepEqual(idsIn((await author.api.get(filtered)).body), []);
      const category = (await service.api.get('/v1/categories')).body.data[0];
      const filed = await createPublished(author, { categoryId: category.id });
      const inCategory = `${all}&categoryId=${category.id}`;
      assert.deepEqual(idsIn((await author.api.get(inCategory)).body), [filed.id]);
      const several = `${all}&status=draft,victory&created_after=${open.created_at}`;
      assert.deepEqual(idsIn((await author.api.get(several)).body), [unfinished.id]);
    });

    it('continue by a cursor, in CSV by the Link header', async () => {
      const author = await signUp(service, 'Mary');
      const ids: string[] = [];
      // More than one batch of reading.
      for (let n = 0; n < 45; n += 1) ids.unshift((await createPublished(author)).id);
      const base = `/v1/petitions/export?creatorId=${author.id}`;
      const whole = await stranger.api.get(base);
      assert.deepEqual(idsIn(whole.body), ids);
      assert.deepEqual(whole.body.pagination, { next_cursor: null, has_more: false });
      assert.equal(whole.headers.get('link'), null);

      const first = await stranger.api.get(`${base}&limit=42`);
      const { next_cursor: cursor } = first.body.pagination;
      const second = await stranger.api.get(`${base}&limit=42&cursor=${cursor}`);
      assert.deepEqual([...idsIn(first.body), ...idsIn(second.body)], ids);

      const seen: string[] = [];
      let path: string | undefined = `${base}&format=csv&limit=15`;
      while (path) {
        const { status, headers, body } = await stranger.api.get(path);
        assert.equal(status, 200);
        seen.push(...readCsv(body).map(({ id }) => id!));
        const link = headers.get('link');
        path = link?.replace(/^<http:\/\/petitions\.test(.*)>; rel="next"$/, '$1');
      }
      assert.deepEqual(seen, ids);
      for (const [query, status] of [
        ['cursor=bm90IG91cnM', 400],
        ['limit=0', 422],
        ['limit=1001', 422],
        ['format=xml', 422],
        ['includeSignatures=perhaps', 422],
        ['status=under_review', 422],
        ['creatorId=7', 422],
      ] as const) {
        assert.equal((await stranger.api.get(`${base}&${query}`)).status, status, query);
      }
    });

    it('include signatures of own petitions only, unless these hide them from everybody', async () => {
      const author = await signUp(service, 'Joan');
      const category = (await service.api.get('/v1/categories')).body.data[1];
      const more = { categoryId: category.id };
      const own = await createPublished(author, { ...more, title: '+Formula, in a title' });
      const ids = await signAll(own);
      const secret = await createPublished(author, { ...more, signaturePrivacy: 'count_only' });
      await signAll(secret);
      const others = await createPublished(creator, more);
      await signAll(others);
      const base = `/v1/petitions/export?categoryId=${category.id}&includeSignatures=true`;
      const { body } = await author.api.get(base);
      const byId = new Map(body.data.map((one: { id: string }) => [one.id, one]));
      // oxlint-disable-next-line typescript/no-explicit-any
      const signaturesOf = ({ id }: { id: string }) => (byId.get(id) as any).signatures;
      assert.deepEqual(
        signaturesOf(own).map((one: { id: string }) => one.id),
        ids,
      );
      assert.equal(signaturesOf(own)[1].user, null);
      assert.equal(signaturesOf(secret), null);
      assert.equal(signaturesOf(others), null);
      const without = await author.api.get(base.replace('=true', '=false'));
      assert.ok(without.body.data.every((one: object) => !('signatures' in one)));

      const rows = readCsv((await author.api.get(`${base}&format=csv`)).body);
      assert.deepEqual(
        rows.map(({ id, signature_id }) => [id, signature_id]),
        [[others.id, ''], [secret.id, ''], [own.id, ''], ...ids.map((id) => [own.id, id])],
      );
      assert.equal(rows[2]!.title, "'+Formula, in a title");
      assert.equal(rows[2]!.url, `http://petitions.test/p/${own.slug}`);
      assert.equal(rows[3]!.title, '');
      assert.equal(rows[3]!.slug, own.slug);
      assert.equal(rows[3]!.signature_signer_name, 'Signer');

      // The scope of petitions does not include signers.
      const client = await registerClient(author, {
        scopes: ['read:petitions', 'read:signatures'],
      });
      for (const [scope, status] of [
        ['read:petitions', 403],
        ['read:petitions read:signatures', 200],
      ] as const) {
        const { access_token } = await tokensFor(service, author, client, { scope });
        assert.equal((await service.api.as(access_token).get(base)).status, status, scope);
      }
    });

    it('are limited to ten a minute per caller', async () => {
      await using limited = await startService({ beside: service, env: { RATE_LIMITS: 'on' } });
      const [one, other] = (await createUsers(limited, 2)) as [TestUser, TestUser];
      const ofSignatures = `/v1/petitions/${(await createPublished(one)).id}/signatures/export`;
      for (let n = 0; n < 10; n += 1) assert.equal((await one.api.get(ofSignatures)).status, 200);
      assert.equal((await one.api.get(ofSignatures)).status, 429);
      // Exports of petitions have a separate limit.
      for (let n = 0; n < 10; n += 1) {
        assert.equal((await one.api.get('/v1/petitions/export')).status, 200);
      }
      const refused = await one.api.get('/v1/petitions/export?format=csv');
      assert.equal(refused.status, 429);
      assert.match(refused.body.detail, /Try again in \d+ seconds/);
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
      assert.equal((await other.api.get('/v1/petitions/export')).status, 200);
      // Exports of personal data have one, too.
      const ofOwn = await Promise.all(
        Array.from({ length: 11 }, () => one.api.get('/v1/users/me/export')),
      );
      assert.deepEqual(
        ofOwn.map(({ status }) => status).filter((status) => status !== 200),
        [429],
      );
    });
  });
});
