import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { readMail } from '../../../test/support/mail.ts';
import {
  createDraft,
  createPublished,
  logIn,
  logInAsAdmin,
  signUp,
  verifyAddress,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { addMailJob } from '../../platform/mail-queue.ts';
import { linkToken } from './links.ts';
import { invitationJob } from './organizers.ts';

type Role = 'editor' | 'author';

describe('organizers', () => {
  let service: Service;
  let creator: Person;

  before(async () => {
    service = await startService({ worker: true });
    creator = await signUp(service, 'Anna Creator');
    await verifyAddress(service, creator);
  });
  after(() => service[Symbol.asyncDispose]());

  const path = (id: string, below = '') => `/v1/petitions/${id}/organizers${below}`;

  const invitationTo = async (email: string): Promise<string> => {
    const find = async () =>
      (await service.mails())
        .map(readMail)
        .findLast((mail) => mail.to === email && /\/organizers\//.test(mail.text));
    await eventually(async () => (await find()) !== undefined);
    return /\/organizers\/([\w-]+)/.exec((await find())!.text)![1]!;
  };

  /** Invites somebody by mail, who accepts. Returns their id as an organizer. */
  const join = async (person: Person, id: string, role: Role, by = creator): Promise<string> => {
    const invited = await by.api.post(path(id), { email: person.email, role });
    assert.equal(invited.status, 201, JSON.stringify(invited.body));
    const token = linkToken(service.ctx, invited.body.data.id);
    const accepted = await person.api.post(`/v1/organizer-invitations/${token}`);
    assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
    return invited.body.data.id;
  };

  it('are invited by mail and accept by its link', async () => {
    const petition = await createPublished(creator);
    const karim = await signUp(service, 'Karim Editor');
    const { status, body } = await creator.api.post(path(petition.id), {
      email: karim.email,
      role: 'editor',
    });
    assert.equal(status, 201);
    const { id, created_at: _, ...invited } = body.data;
    assert.deepEqual(invited, {
      email: karim.email,
      user: null,
      role: 'editor',
      state: 'invited',
    });
    const token = await invitationTo(karim.email);
    const mail = (await service.mails()).map(readMail).findLast(({ to }) => to === karim.email);
    assert.match(
      mail!.text,
      /If Anna Creator deletes their account, the petition can become yours/,
    );
    const link = `/v1/organizer-invitations/${token}`;
    const about = await service.api.get(link);
    assert.equal(about.body.data.petition.title, petition.title);
    assert.equal(about.body.data.invited_by.display_name, 'Anna Creator');
    assert.equal((await karim.api.patch(`/v1/petitions/${petition.id}`, {})).status, 403);

    const accepted = await karim.api.post(link);
    assert.equal(accepted.body.data.state, 'active');
    assert.equal(accepted.body.data.user.display_name, 'Karim Editor');
    assert.equal((await karim.api.post(link)).status, 200, 'again');
    const other = await signUp(service, 'Other');
    assert.equal((await other.api.post(link)).status, 410);
    assert.equal((await service.api.get(link)).status, 410);

    const list = await karim.api.get(path(petition.id));
    assert.deepEqual(
      list.body.data.map((one: { id: string; email: string }) => [one.id, one.email]),
      [[id, karim.email]],
    );
    assert.equal((await other.api.get(path(petition.id))).status, 403);
    assert.equal((await service.api.get(path(petition.id))).status, 401);
  });

  it('see no address but their own', async () => {
    const petition = await createPublished(creator);
    const [one, two] = await Promise.all([signUp(service, 'One'), signUp(service, 'Two')]);
    await join(one, petition.id, 'author');
    await join(two, petition.id, 'author');
    const { body } = await one.api.get(path(petition.id));
    assert.deepEqual(
      body.data.map(({ email }: { email: string | null }) => email),
      [null, one.email],
    );
  });

  it('are invited within limits, by the creator alone, whose address is verified', async () => {
    const petition = await createPublished(creator);
    const email = 'somebody@example.org';
    const invite = (api = creator.api, input: object = { email, role: 'author' }) =>
      api.post(path(petition.id), input);
    const unverified = await signUp(service, 'Unverified');
    const own = await createDraft(unverified);
    const refused = await unverified.api.post(path(own.id), { email, role: 'author' });
    assert.deepEqual([refused.status, refused.body.code], [403, 'email_not_verified']);
    assert.equal((await invite(unverified.api)).status, 403);
    const self = await invite(creator.api, { email: creator.email, role: 'editor' });
    assert.deepEqual([self.status, self.body.code], [409, 'own_petition']);
    assert.equal((await invite(creator.api, { email, role: 'owner' })).status, 422);
    assert.equal((await invite(creator.api, { email: 'nobody', role: 'editor' })).status, 422);
    assert.equal((await invite()).status, 201);
    const again = await invite(creator.api, { email: email.toUpperCase(), role: 'editor' });
    assert.deepEqual([again.status, again.body.code], [409, 'already_added']);
    for (let n = 1; n < 20; n++) {
      const { status } = await invite(creator.api, { email: `n${n}@example.org`, role: 'author' });
      assert.equal(status, 201);
    }
    const more = await invite(creator.api, { email: 'n21@example.org', role: 'author' });
    assert.deepEqual([more.status, more.body.code], [409, 'organizer_limit']);
  });

  it('get at most three invitations a day', async () => {
    await using limited = await startService({ beside: service, env: { RATE_LIMITS: 'on' } });
    const { api } = await logIn(limited, creator);
    for (let n = 0; n < 4; n++) {
      const petition = await createDraft(creator);
      const input = { email: 'often@example.org', role: 'author' };
      const { status, headers } = await api.post(path(petition.id), input);
      assert.equal(status, n < 3 ? 201 : 429);
      if (n === 3) assert.ok(Number(headers.get('retry-after')) > 0);
    }
  });

  it('get their invitations although refused ones were tried before', async () => {
    await using limited = await startService({ beside: service, env: { RATE_LIMITS: 'on' } });
    const [first, full] = [await createDraft(creator), await createDraft(creator)];
    const { api } = await logIn(limited, creator);
    const invite = async (id: string, email: string) => {
      const { status, body } = await api.post(path(id), { email, role: 'author' });
      return [status, body.code];
    };
    const email = 'wanted@example.org';
    for (let n = 0; n < 20; n++) {
      await creator.api.post(path(full.id), { email: `n${n}@example.org`, role: 'author' });
    }
    assert.deepEqual(await invite(first.id, email), [201, undefined]);
    for (let n = 0; n < 25; n++) {
      assert.deepEqual(await invite(first.id, email), [409, 'already_added']);
      assert.deepEqual(await invite(full.id, email), [409, 'organizer_limit']);
      assert.deepEqual(await invite(first.id, creator.email), [409, 'own_petition']);
    }
    for (let n = 0; n < 2; n++) {
      const { id } = await createDraft(creator);
      assert.deepEqual(await invite(id, email), [201, undefined]);
    }
  });

  it('decline, leave, and are removed', async () => {
    const petition = await createPublished(creator);
    const person = await signUp(service, 'Leaves Soon');
    await creator.api.post(path(petition.id), { email: person.email, role: 'author' });
    const token = await invitationTo(person.email);
    assert.equal((await service.api.delete(`/v1/organizer-invitations/${token}`)).status, 204);
    assert.equal((await person.api.post(`/v1/organizer-invitations/${token}`)).status, 404);
    assert.deepEqual((await creator.api.get(path(petition.id))).body.data, []);

    const id = await join(person, petition.id, 'author');
    const other = await signUp(service, 'Other Author');
    const otherId = await join(other, petition.id, 'author');
    assert.equal((await person.api.delete(path(petition.id, `/${otherId}`))).status, 403);
    assert.equal((await person.api.delete(path(petition.id, `/${id}`))).status, 204);
    assert.equal((await person.api.get(path(petition.id))).status, 403);
    assert.equal((await creator.api.delete(path(petition.id, `/${otherId}`))).status, 204);
    const update = { title: 'News', body: 'Still here?' };
    const refused = await other.api.post(`/v1/petitions/${petition.id}/updates`, update);
    assert.equal(refused.status, 403);
  });

  it('lose an invitation that is too old, which can be sent again', async () => {
    const petition = await createPublished(creator);
    const person = await signUp(service, 'Late');
    const input = { email: person.email, role: 'author' };
    await creator.api.post(path(petition.id), input);
    const token = await invitationTo(person.email);
    await service.ctx.db`
      update petition_organizers set expires_at = now() where petition_id = ${petition.id}`;
    assert.equal((await person.api.post(`/v1/organizer-invitations/${token}`)).status, 410);
    assert.equal((await creator.api.post(path(petition.id), input)).status, 201);
  });

  it('are not invited by a creator who is suspended', async () => {
    const inviting = await signUp(service, 'Suspended Creator');
    await verifyAddress(service, inviting);
    const { id: petitionId } = await createPublished(inviting);
    const [member, early] = [await signUp(service, 'Member'), await signUp(service, 'Early')];
    await join(member, petitionId, 'author', inviting);
    const invitation = { email: early.email, role: 'author' };
    const invited = await inviting.api.post(path(petitionId), invitation);
    const link = `/v1/organizer-invitations/${linkToken(service.ctx, invited.body.data.id)}`;
    await invitationTo(early.email);
    const admin = await logInAsAdmin(service);
    const suspension = { reason: 'Spam', content: 'keep' };
    await admin.api.post(`/v1/admin/users/${inviting.id}/suspend`, suspension);
    assert.equal((await service.api.get(link)).status, 410);
    assert.equal((await early.api.post(link)).status, 410);
    // As a job that had to wait for the mail server.
    const job = { organizer_id: invited.body.data.id, petition_id: petitionId };
    await addMailJob(service.ctx.db, invitationJob, job);
    await eventually(
      async () =>
        !(await service.ctx.db.exists`
          select from graphile_worker.jobs where task_identifier = ${invitationJob}`),
    );
    const mails = (await service.mails()).map(readMail).filter(({ to }) => to === early.email);
    assert.equal(mails.filter(({ text }) => text.includes('/organizers/')).length, 1);
    await admin.api.post(`/v1/admin/users/${inviting.id}/unsuspend`);
    assert.equal((await early.api.post(link)).status, 200);
  });

  it('with the role of editor change what readers see, not what the creator decides', async () => {
    const petition = await createPublished(creator);
    const editor = await signUp(service, 'Editor');
    await join(editor, petition.id, 'editor');
    const own = `/v1/petitions/${petition.id}`;
    const changed = await editor.api.patch(own, { title: 'A title by the editor' });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    for (const terms of [{ visibility: 'private' }, { closesAt: '2036-01-01T00:00:00Z' }]) {
      assert.equal((await editor.api.patch(own, terms)).status, 403);
    }
    const maker = { name: 'Grace', email: 'grace@example.org' };
    const added = await editor.api.post(`${own}/decision-makers`, maker);
    assert.equal(added.status, 201);
    const read = await editor.api.get(own);
    assert.equal(read.body.data.decision_makers[0].email, maker.email);
    const makers = `${own}/decision-makers/${added.body.data.id}`;
    assert.equal((await editor.api.post(`${makers}/deliver`)).status, 403);
    assert.equal((await editor.api.delete(makers)).status, 204);
    const update = await editor.api.post(`${own}/updates`, { title: 'News', body: 'Of editors' });
    assert.equal(update.status, 201);
    const refused = [
      editor.api.post(`${own}/close`),
      editor.api.post(`${own}/victory`),
      editor.api.delete(own),
      editor.api.get(`${own}/analytics`),
      editor.api.get(`${own}/signatures/export`),
      editor.api.post(path(petition.id), { email: 'x@example.org', role: 'author' }),
    ];
    for (const { status } of await Promise.all(refused)) assert.equal(status, 403);
  });

  it('with the role of author write updates alone', async () => {
    const petition = await createPublished(creator);
    const author = await signUp(service, 'Author');
    await join(author, petition.id, 'author');
    const own = `/v1/petitions/${petition.id}`;
    const posted = await author.api.post(`${own}/updates`, { title: 'News', body: 'By an author' });
    assert.equal(posted.status, 201);
    assert.ok(!('author_id' in posted.body.data));
    const mine = `/v1/updates/${posted.body.data.id}`;
    assert.equal((await author.api.patch(mine, { title: 'Better news' })).status, 200);
    const others = await creator.api.post(`${own}/updates`, { title: 'Mine', body: 'By Anna' });
    const update = `/v1/updates/${others.body.data.id}`;
    assert.equal((await author.api.patch(update, { title: 'Not yours' })).status, 403);
    assert.equal((await author.api.delete(update)).status, 403);
    assert.equal((await author.api.patch(own, { title: 'Another title' })).status, 403);
    const maker = { name: 'Grace', email: 'grace@example.org' };
    assert.equal((await author.api.post(`${own}/decision-makers`, maker)).status, 403);
    assert.equal((await creator.api.delete(mine)).status, 204);
  });

  it('see drafts and private petitions, without the access code', async () => {
    const draft = await createDraft(creator, { visibility: 'private' });
    const author = await signUp(service, 'Reader of Drafts');
    await join(author, draft.id, 'author');
    const read = await author.api.get(`/v1/petitions/${draft.id}`);
    assert.equal(read.status, 200);
    assert.ok(!('access_code' in read.body.data));
    await creator.api.post(`/v1/petitions/${draft.id}/publish`);
    assert.equal((await author.api.post(`/v1/petitions/${draft.id}/signatures`)).status, 201);
  });

  it('hear of milestones and reviews as the creator does, without the reasons', async () => {
    const petition = await createPublished(creator, { signatureGoal: 1 });
    const editor = await signUp(service, 'Hearing Editor');
    const author = await signUp(service, 'Hearing Author');
    await join(editor, petition.id, 'editor');
    await join(author, petition.id, 'author');
    const invited = await signUp(service, 'Invited Only');
    const reporter = await signUp(service, 'Reporter');
    await creator.api.post(path(petition.id), { email: invited.email, role: 'editor' });
    const signature = `/v1/petitions/${petition.id}/signatures`;
    assert.equal((await author.api.post(signature)).status, 201);
    const admin = await logInAsAdmin(service);
    const report = { target_type: 'petition', target_id: petition.id, reason: 'other' };
    const reported = await reporter.api.post('/v1/reports', report);
    assert.equal(reported.status, 201, JSON.stringify(reported.body));
    const hidden = await admin.api.post(`/v1/admin/reports/${reported.body.data.id}/action`, {
      action: 'hide_content',
    });
    assert.equal(hidden.status, 200, JSON.stringify(hidden.body));
    const rejection = { reason: 'It names a child.' };
    const rejected = await admin.api.post(`/v1/admin/petitions/${petition.id}/reject`, rejection);
    assert.equal(rejected.status, 200, JSON.stringify(rejected.body));

    const heardBy = async (person: Person) =>
      (await person.api.get('/v1/notifications')).body.data.map(
        ({ type, body }: { type: string; body: string }) => `${type}: ${body}`,
      );
    const shown =
      'petition_under_review: Moderators look at it. Until they are done, nobody else sees it.';
    const milestone = 'signature_milestone: Thank them, and tell them what comes next.';
    const withReason = 'petition_under_review: It is a draft again. The reason: It names a child.';
    await eventually(async () => (await heardBy(creator)).includes(withReason));
    const known = new Set([shown, milestone]);
    assert.ok(known.isSubsetOf(new Set(await heardBy(creator))));
    assert.deepEqual(await heardBy(editor), [shown, milestone]);
    // The milestone was their own signature.
    assert.deepEqual(await heardBy(author), [shown]);
    assert.deepEqual(await heardBy(invited), []);
  });

  it('keep their data in the export of their accounts', async () => {
    const petition = await createPublished(creator);
    const author = await signUp(service, 'Exported');
    await join(author, petition.id, 'author');
    const { body } = await author.api.get('/v1/users/me/export');
    assert.equal(body.organizers[0].petition_id, petition.id);
  });

  it('can accept, though a stranger registered the invited address and erased that account', async () => {
    const petition = await createPublished(creator);
    const squatter = await signUp(service, 'Squatter');
    const invitation = { email: squatter.email, role: 'editor' };
    assert.equal((await creator.api.post(path(petition.id), invitation)).status, 201);
    const { password } = squatter;
    assert.equal((await squatter.api.delete('/v1/users/me', { password })).status, 204);
    const { body } = await creator.api.get(path(petition.id));
    assert.equal(body.data[0]?.email, squatter.email);
  });
});
