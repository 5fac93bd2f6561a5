import { linkToken } from '../../src/campaigns/organizers/links.ts';
import { answerPetition } from './answers.ts';
import assert from 'node:assert/strict';
import { Browser } from './browser.ts';
import { complain } from '../../src/oversight/decisions/decisions.ts';
import { complaintToken } from '../../src/oversight/decisions/tokens.ts';
import type { Answer } from './client.ts';
import { eventually } from './eventually.ts';
import { readMail } from './mail.ts';
import { codeFor, registerClient } from './oauth.ts';
import {
  createDraft,
  createPublished,
  logInAsAdmin,
  signUp,
  verifyAddress,
  type Person,
} from './people.ts';
import { noiseImage } from './pictures.ts';
import type { Service } from './service.ts';

const name = 'Quillfeather Zanzibarova';
const phone = '+441632960987';

/** A person who used everything, and what names them. */
export interface ActivePerson extends Person {
  name: string;
  phone: string;
}

interface World {
  service: Service;
  signer: Person;
  admin: Person;
  /** Id of another person's petition. */
  petition: string;
}

/** Signs up a person who uses everything. The service must run jobs. */
export async function createActivePerson(service: Service): Promise<ActivePerson> {
  const admin = await logInAsAdmin(service);
  const signer = await signUp(service, 'Signer');
  const creator = await signUp(service, 'Creator');
  const petition = (await createPublished(creator)).id;
  // The payload of a signature names its signer.
  const endpoint = { url: 'http://localhost:9/', events: ['signature.created'] };
  await ok(creator.api.post('/v1/webhooks', endpoint));
  const person = await signUp(service, name);
  for (const [what, act] of Object.entries(actions)) {
    await act(person, { service, admin, signer, petition }).catch((error: unknown) => {
      throw new Error(`who ${what}`, { cause: error });
    });
  }
  return { ...person, name, phone };
}

/** The actions of a person, with their name in every place that accepts text. */
const actions: Record<string, (person: Person, world: World) => Promise<unknown>> = {
  async 'edits the profile'({ api, email, slug }, { service }) {
    await ok(api.patch('/v1/users/me', { bio: name, avatar_url: `https://a.example/${slug}` }));
    await ok(api.post('/v1/auth/verify-email/resend'));
    await ok(service.api.post('/v1/auth/forgot-password', { email }));
  },
  async 'verifies a phone'({ api }, { service }) {
    await ok(api.post('/v1/users/me/phone', { phone }));
    await eventually(async () => (await service.texts()).some(({ to }) => to === phone));
    const { text } = (await service.texts()).find(({ to }) => to === phone)!;
    await ok(api.post('/v1/users/me/phone/verify', { code: /\d{6}/.exec(text)![0] }));
    await ok(api.post('/v1/users/me/phone', { phone }));
  },
  async 'starts petitions'(person, { signer }) {
    await createDraft(person, {
      title: `A draft of ${name}`,
      decisionMakers: [{ name, email: person.email }],
    });
    await createPublished(person, { title: `Unsigned, by ${name}` });
    const { id } = await createPublished(person);
    await ok(signer.api.post(`/v1/petitions/${id}/signatures`));
  },
  async 'signs and comments'({ api }, { petition, service }) {
    const headers = { 'idempotency-key': `once by ${name}` };
    await ok(api.post(`/v1/petitions/${petition}/signatures`, {}, { headers }));
    await ok(api.post(`/v1/petitions/${petition}/comments`, { body: 'Yes.' }, { headers }));
    await ok(api.patch('/v1/users/me', { display_name: name }));
    await ok(api.post(`/v1/petitions/${petition}/shares`, { channel: 'x' }));
    await ok(api.put(`/v1/petitions/${petition}/follow`));
    const response = await answerPetition(service, { id: petition });
    await ok(api.put(`/v1/responses/${response}/opinion`, { opinion: 'partly' }));
    await ok(api.put(`/v1/responses/${response}/opinion`, { opinion: 'not' }));
  },
  async 'withdraws a signature'({ api }, { signer }) {
    const { id } = await createPublished(signer);
    await ok(api.post(`/v1/petitions/${id}/signatures`));
    await ok(api.delete(`/v1/petitions/${id}/signatures/me`));
  },
  async 'signs another petition by mail'(person, { service, signer }) {
    // Otherwise the signature may belong to another owner of the address, and is deleted after a day.
    await service.ctx.db`update users set email_verified_at = now() where id = ${person.id}`;
    const { id } = await createPublished(signer);
    const input = { display_name: name, email: person.email, comment: `Yours, ${name}` };
    await ok(service.api.post(`/v1/petitions/${id}/signatures/pending`, input));
  },
  async 'asks for a link that signs in'({ email }, { service }) {
    await ok(service.api.post('/v1/auth/magic-link', { email, redirect: '/settings' }));
  },
  async 'writes to decision makers and promotes'(person, { service, signer }) {
    const { id } = await createPublished(person);
    await ok(signer.api.post(`/v1/petitions/${id}/signatures`));
    const makers = `/v1/petitions/${id}/decision-makers`;
    const { body } = await ok(
      person.api.post(makers, { name: 'Robin Marsh', email: person.email }),
    );
    await verifyAddress(service, person);
    await ok(person.api.post(`${makers}/${body.data.id}/deliver`, { message: `Yours, ${name}` }));
    await eventually(async () =>
      (await service.mails()).some((mail) => mail.includes('/respond/')),
    );
    await ok(person.api.post(`/v1/petitions/${id}/promotions`, { amount: 1000, currency: 'EUR' }));
  },
  async 'organizes a petition of somebody else'(person, { service, signer }) {
    await verifyAddress(service, signer);
    const { id } = await createPublished(signer);
    const input = { email: person.email, role: 'author' };
    const { body } = await ok(signer.api.post(`/v1/petitions/${id}/organizers`, input));
    const token = linkToken(service.ctx, body.data.id);
    await ok(person.api.post(`/v1/organizer-invitations/${token}`));
    await ok(person.api.post(`/v1/petitions/${id}/updates`, { title: 'News', body: 'Of us.' }));
    await service.ctx.db`
      insert into update_drafts_by_author (petition_id, user_id, title, body)
      values (${id}, ${person.id}, 'Soon', ${`Yours, ${name}`})`;
  },
  async 'creates keys, clients and webhooks'(person) {
    await ok(person.api.post('/v1/api-keys', { name }));
    const { id } = await registerClient(person, { name });
    await ok(person.api.patch(`/v1/oauth/clients/${id}`, { name: `Mine, ${name}` }));
    await codeFor(person, await registerClient(person));
    const url = `http://localhost:9/${person.slug}`;
    const { body } = await ok(
      person.api.post('/v1/webhooks', { url, events: ['petition.created'] }),
    );
    await ok(person.api.post(`/v1/webhooks/${body.data.id}/test`));
    await createDraft(person);
  },
  async 'uploads images'({ api }) {
    const form = new FormData();
    form.set(
      'file',
      new Blob([await noiseImage(64, 64).jpeg().toBuffer()], { type: 'image/jpeg' }),
      `${name}.jpg`,
    );
    form.set('entity_type', 'user_avatar');
    await ok(api.send('POST', '/v1/media/upload', form));
  },
  async 'belongs to organizations'({ id, api }, { signer }) {
    await ok(api.post('/v1/organizations', { name: `Friends of ${name}` }));
    const { body } = await ok(signer.api.post('/v1/organizations', { name: 'River friends' }));
    const members = `/v1/organizations/${body.data.id}/members`;
    await ok(signer.api.post(members, { user_id: id, role: 'admin' }));
  },
  async 'is notified, and changes preferences'({ api }) {
    await eventually(async () => (await api.get('/v1/notifications')).body.data.length > 0);
    await ok(api.patch('/v1/notifications/preferences', { email: { petition_comment: true } }));
    await ok(api.post('/v1/notifications/mark-read', { mark_all: true }));
  },
  async reports({ api, email }, { petition }) {
    const report = { target_type: 'petition', target_id: petition, reason: 'other' };
    await ok(api.post('/v1/reports', { ...report, description: `Write to ${email}` }));
  },
  async 'reports another petition by mail'({ email }, { service, signer }) {
    const { slug } = await createPublished(signer);
    const browser = new Browser(service.api);
    const form = await browser.open(`/p/${slug}/report`);
    const fields = { reason: 'other', description: `Write to ${email}, ${name}`, email };
    const { status } = await browser.submit(form, fields);
    assert.equal(status, 200);
  },
  async 'reports a third one by mail, and confirms it'({ email }, { service, signer }) {
    const { slug } = await createPublished(signer);
    const browser = new Browser(service.api);
    const asked = await browser.submit(await browser.open(`/p/${slug}/report`), {
      reason: 'other',
      email,
    });
    const mailed = async () =>
      (await service.mails())
        .map(readMail)
        .filter(({ to, subject }) => to === email && /^\d{6}: confirm your report/.test(subject));
    // One is that of the other report, in either order.
    await eventually(async () => (await mailed()).length === 2);
    const statuses = [];
    for (const { subject } of await mailed()) {
      statuses.push((await browser.submit(asked, { code: subject.slice(0, 6) })).status);
    }
    assert.ok(statuses.includes(200), statuses.join());
  },
  async 'is reported and warned'({ id }, { signer, admin }) {
    const report = { target_type: 'user', target_id: id, reason: 'spam', description: name };
    const { body } = await ok(signer.api.post('/v1/reports', report));
    const act = { action: 'warn_user', note: `${name} must stop` };
    await ok(admin.api.post(`/v1/admin/reports/${body.data.id}/action`, act));
    await ok(admin.api.post('/v1/admin/warnings', { user_id: id, message: `Stop, ${name}` }));
  },
  async 'has a petition rejected'(person, { signer, admin }) {
    const { id } = await createPublished(person);
    await ok(signer.api.post(`/v1/petitions/${id}/signatures`));
    const report = { target_type: 'petition', target_id: id, reason: 'spam' };
    const { body } = await ok(signer.api.post('/v1/reports', report));
    const act = { action: 'hide_content' };
    await ok(admin.api.post(`/v1/admin/reports/${body.data.id}/action`, act));
    const reason = `${name} may not ask for that`;
    await ok(admin.api.post(`/v1/admin/petitions/${id}/reject`, { reason }));
    await eventually(async () =>
      (await person.api.get('/v1/notifications')).body.data.some((one: { body: string }) =>
        one.body.includes(reason),
      ),
    );
  },
  async 'is suspended and restored'({ id, email }, { admin }) {
    const suspension = { reason: `${email} again`, content: 'hide' };
    await ok(admin.api.post(`/v1/admin/users/${id}/suspend`, suspension));
    await ok(admin.api.post(`/v1/admin/users/${id}/unsuspend`));
    await ok(admin.api.get(`/v1/admin/users?email=${email}`));
  },
  async 'complains about a decision'({ id: userId }, { service: { ctx } }) {
    const decisionId = await ctx.db.value<string>`
      select id from moderation_decisions where user_id = ${userId} and act = 'suspend_user'`;
    const token = complaintToken(ctx.keys, { decisionId, side: 'author', userId, reportId: null });
    await complain(ctx, token, { text: `${name} has done nothing of the kind` });
  },
  async 'exports data, and makes mistakes'({ api, email }) {
    await ok(api.get('/v1/users/me/export'));
    await api.post('/v1/auth/register', { email, password: 'long enough', display_name: name });
    await api.post('/v1/auth/login', { email, password: name });
    await api.get(`/v1/petitions/${encodeURIComponent(name)}`);
  },
};

const ok = async (call: Promise<Answer>): Promise<Answer> => {
  const answer = await call;
  assert.ok(answer.status < 300, `${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
};
